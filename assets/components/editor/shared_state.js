// The state that browser and server share: its fields, each with a version.
// Of two values of a field, the one with the larger version stays. pages/session/versions.py has the rule and
// the reason.

/**
 * The fields, as Workspace.state in pages/session/workspace.py has them.
 * @typedef {object} Fields
 * @property {string | null} text null: only the server has it
 * @property {number} page of a long text, from 0
 * @property {Pin | null} pin
 * @property {string[]} encodings of the panels
 * @property {"text" | "ids" | "bytes"} view
 * @property {boolean} figures the switches
 * @property {boolean} whitespace
 * @property {boolean} walls
 * @property {boolean} only_here
 * @property {boolean} special_as_tokens
 * @property {boolean} adds_frame
 * @property {boolean} scrolls_together
 */

/**
 * The pinned token.
 * @typedef {object} Pin
 * @property {string} encoding
 * @property {number} start its first byte in the whole text
 */

/**
 * Fields with their versions. A message leaves out what the other side has.
 * @typedef {object} State
 * @property {Partial<Fields>} fields
 * @property {Record<string, number>} versions
 */

const areEqual = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

export class SharedState {
  constructor() {
    /** @type {Partial<Fields>} */
    this.fields = {};
    /** @type {Record<string, number>} */
    this.versions = {};
  }

  /**
   * The person changed fields; returns their new version.
   * @param {Partial<Fields>} fields
   */
  change(fields) {
    const version = Math.max(0, ...Object.values(this.versions)) + 1;
    for (const name of Object.keys(fields)) this.versions[name] = version;
    Object.assign(this.fields, fields);
    return version;
  }

  /**
   * Take what is not older from a message; returns the names of the fields that have changed.
   * @param {State} message
   */
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

  /**
   * Whether nothing has changed since a message with these versions.
   * @param {Record<string, number>} versions
   */
  has(versions) {
    return Object.keys(versions).every((name) => versions[name] === this.versions[name]);
  }

  /** @returns {State} */
  copy() {
    return { fields: { ...this.fields }, versions: { ...this.versions } };
  }
}
