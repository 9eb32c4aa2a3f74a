// A mail server on a free port. It writes the port, and then the Message-ID of each mail that it accepts.
import { SMTPServer } from "smtp-server";

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  logger: false,
  onData(stream, session, done) {
    let text = "";
    stream.on("data", (chunk) => (text += chunk));
    stream.on("end", () => {
      const id = /^Message-ID: (\S+)/im.exec(text);
      process.stdout.write(`${id ? id[1] : "none"}\n`);
      done();
    });
  },
});
server.on("error", () => {}); // connections of killed processes
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.server.address().port}\n`));
