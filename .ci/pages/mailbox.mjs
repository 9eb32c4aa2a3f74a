// A mail server for the checks. It accepts every mail and keeps it.
import { createServer } from "node:net";

// startMailbox returns the server's address, a function that waits for the newest mail to an address, and one that stops
// the server.
export async function startMailbox() {
  const mails = [];
  const server = createServer((socket) => receive(socket, mails));
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const mailTo = async (address) => {
    for (let waited = 0; waited < 200; waited++) {
      const mail = mails.findLast(({ to }) => to === address);
      if (mail) return mail.text;
      await new Promise((next) => setTimeout(next, 100));
    }
    throw new Error(`no mail to ${address} within 20 s`);
  };
  return { url: `smtp://127.0.0.1:${server.address().port}`, mailTo, stop: () => server.close() };
}

function receive(socket, mails) {
  let rest = "", to, text;
  const say = (line) => socket.write(`${line}\r\n`);
  const take = (line) => {
    if (text !== undefined && line === ".") {
      mails.push({ to, text: decode(text) });
      text = undefined;
      return say("250 accepted");
    }
    if (text !== undefined) {
      text += `${line.replace(/^\./, "")}\n`;
    } else if (/^RCPT TO:/i.test(line)) {
      to = /<([^>]*)>/.exec(line)[1];
      say("250 ok");
    } else if (/^DATA/i.test(line)) {
      text = "";
      say("354 go on");
    } else if (/^QUIT/i.test(line)) {
      say("221 bye");
      socket.end();
    } else say("250 ok");
  };
  socket.setEncoding("latin1");
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop();
    lines.forEach(take);
  });
  say("220 localhost");
}

// decode undoes the encoding of RFC 2045 for texts, as far as links need it.
const decode = (text) => text.replace(/=\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
