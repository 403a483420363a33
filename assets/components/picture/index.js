// A picture that the server drew as SVG: shows it, and copies it for slides and letters.

const SHARPER = 2; // pixels of the copy for one of the drawing

// The same picture in pixels, which every program takes from the clipboard.
async function toPng(image) {
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SHARPER * image.naturalWidth;
  canvas.height = SHARPER * image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export default class Picture {
  constructor(root) {
    this.image = root.querySelector("img");
    this.done = root.querySelector(".done");
    root.querySelector("button").onclick = () => this.copy();
  }

  receive({ svg }) {
    if (svg === this.svg) return;
    this.svg = svg;
    this.done.textContent = "";
    URL.revokeObjectURL(this.image.src);
    this.image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  }

  async copy() {
    try {
      // Safari wants the promise, and not what it becomes: by then, the press is over.
      await navigator.clipboard.write([new ClipboardItem({ "image/png": toPng(this.image) })]);
      this.done.textContent = "Copied. Paste it where you write.";
    } catch {
      this.done.textContent = "Your browser did not allow copying. Download the picture instead.";
    }
  }

  destroy() {
    URL.revokeObjectURL(this.image.src);
  }
}
