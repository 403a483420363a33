// The state that browser and server share: its fields (text, page, pin, encodings, view, switches), each with
// a version.
// Of two values of a field, the one with the larger version stays. pages/session/versions.py has the rule and
// the reason.

const areEqual = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

export class SharedState {
  constructor() {
    this.fields = {}; // text: null if only the server has it
    this.versions = {};
  }

  // The person changed fields; returns their new version.
  change(fields) {
    const version = Math.max(0, ...Object.values(this.versions)) + 1;
    for (const name of Object.keys(fields)) this.versions[name] = version;
    Object.assign(this.fields, fields);
    return version;
  }

  // Take what is not older from a message; returns the names of the fields that have changed.
  merge({ fields, versions }) {
    const names = Object.keys(fields).filter((name) => !(versions[name] < this.versions[name]));
    // The server bounds what it is sent, under the same version.
    const changed = names.filter(
      (name) => versions[name] !== this.versions[name] || !areEqual(fields[name], this.fields[name]),
    );
    for (const name of names) {
      this.versions[name] = versions[name];
      this.fields[name] = fields[name];
    }
    return changed;
  }

  // Whether nothing has changed since a message with these versions.
  has(versions) {
    return Object.keys(versions).every((name) => versions[name] === this.versions[name]);
  }

  copy() {
    return { fields: { ...this.fields }, versions: { ...this.versions } };
  }
}
