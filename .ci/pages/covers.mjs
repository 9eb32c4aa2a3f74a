// addCovers publishes posts with photographs as covers, so that a list of posts has its largest size.
import { newPost, send } from "./forms.mjs";

const posts = 15;

export async function addCovers(browser, context, address) {
  const page = await browser.newPage();
  for (let i = 0; i < posts; i++) {
    const buffer = Buffer.from(await page.evaluate(photograph, i), "base64");
    const answer = await context.request.post(`${address}/images`, {
      headers: { Accept: "application/json" },
      multipart: { alt: "A meadow", file: { name: "meadow.jpg", mimeType: "image/jpeg", buffer } },
    });
    if (answer.status() !== 201) throw new Error(`uploading a cover was answered ${answer.status()}: ${await answer.text()}`);
    const { markdown } = await answer.json();
    const content = `${markdown}\n\n${"Some words about a meadow, *in bloom*. ".repeat(20)}`;
    await send(context, `${address}/posts`, { post: await newPost(context, address), title: `A meadow, seen for the ${i + 1}th time`, content, tags: "meadows", do: "publish" });
  }
  await page.close();
}

// photograph runs in a page. It draws shapes and noise, which compress as badly as a photograph, and returns a JPEG in
// Base64. Each seed makes another picture.
async function photograph(seed) {
  const [width, height] = [1600, 1067];
  let state = seed;
  const random = () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
  for (let i = 0; i < 10; i++) random();
  const canvas = new OffscreenCanvas(width, height);
  const paint = canvas.getContext("2d");
  paint.fillStyle = `hsl(${random() * 360} 40% 75%)`;
  paint.fillRect(0, 0, width, height);
  for (let i = 0; i < 900; i++) {
    const [y, size] = [height * (0.4 + 0.6 * random()), 70 * random()];
    paint.fillStyle = `hsl(${random() * 360} 40% ${15 + random() * 45}% / 0.6)`;
    paint.beginPath();
    paint.ellipse(width * random(), y, size, size / 2, 3 * random(), 0, 7);
    paint.fill();
  }
  const image = paint.getImageData(0, 0, width, height);
  for (let i = 0; i < image.data.length; i++) image.data[i] += (random() - 0.5) * 14;
  paint.putImageData(image, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 })).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}
