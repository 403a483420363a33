// Carriage returns in a textarea, which makes a line feed of each. So while a text has some, a character that
// the text does not have stands for them there.

export class CarriageReturns {
  constructor() {
    this.standIn = null; // the character; null: the text has no carriage returns
  }

  // From the textarea's value to the text, and back.
  toText(value) {
    return this.standIn ? value.replaceAll(this.standIn, "\r") : value;
  }

  toValue(text) {
    this.standIn = null;
    for (let code = 0xe000; text.includes("\r") && !this.standIn && code < 0xf900; code++) {
      const char = code === 0xe000 ? "␍" : String.fromCharCode(code);
      if (!text.includes(char)) this.standIn = char;
    }
    return this.standIn ? text.replaceAll("\r", this.standIn) : text;
  }
}
