package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"inkfeed/web/cli/config"
)

func TestSeedFillsTheBlogAndItsViews(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	out := runCommand(t, env, "seed", "--users", "6")
	if !strings.Contains(out, "6 users") || !strings.Contains(out, samplePassword) {
		t.Errorf("seed says: %s", out)
	}
	verified(t, env) // at once: seed waits for the views
	runCommand(t, env, "seed", "--users", "6")
	verified(t, env) // the same again adds nothing that is counted twice

	base, _ := serving(t, env, "--addr", "127.0.0.1:0")
	v := newVisitor(t, base)
	if n := v.get("/").Find("main article").Length(); n != 20 {
		t.Errorf("%d posts on the front page", n)
	}
	name := strings.Fields(out[strings.Index(out, "for example ")+len("for example "):])[0]
	if p := v.post("/login", "username", name, "password", samplePassword); p.status != http.StatusOK || p.url.Path == "/login" {
		t.Errorf("sign in as %s: status %d at %s", name, p.status, p.url)
	}
}

func TestSeedIsNotWrittenBesideRealUsersUnasked(t *testing.T) {
	env := wrote(t, "ada")
	for range 2 {
		_, err := start(t, env, "seed", "--users", "2")
		if err == nil || !strings.Contains(err.Error(), "real users, such as ada") || !strings.Contains(err.Error(), "--beside-users") {
			t.Errorf("error %v", err)
		}
	}
	if out := runCommand(t, env, "verify"); !strings.Contains(out, "of 1 user and 0 posts") {
		t.Errorf("it wrote something: %s", out)
	}
	runCommand(t, env, "seed", "--users", "2", "--beside-users")
	verified(t, env)
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	v := newVisitor(t, base)
	v.logIn("ada")
	if p := v.post("/settings/delete", "password", "correct horse"); p.status != http.StatusOK {
		t.Fatalf("delete the account: status %d: %s", p.status, words(p.Find("main")))
	}
	stop()
	runCommand(t, env, "seed", "--users", "3", "--seed", "2") // nobody real is left
}

// A seed that is killed leaves no half of anything, and can be finished.
func TestAKilledSeedLeavesWhatItWroteRight(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"INKFEED_DATA": dir}
	cmd := program(t, env, "seed", "--users", "150")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); databaseSize(dir) < 4<<20; {
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			t.Fatalf("nothing written: %s", out.String())
		}
		time.Sleep(10 * time.Millisecond) // until there is something to lose
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the seed ended before it was killed")
	}
	// As a restart of the server would: the workers drain, then all is right.
	base, stop := serving(t, env, "--addr", "127.0.0.1:0")
	if p := newVisitor(t, base).get("/"); p.status != http.StatusOK {
		t.Errorf("front page: status %d", p.status)
	}
	stop()
	verified(t, env, "--wait")
}

func databaseSize(dir string) (size int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += info.Size()
		}
	}
	return size
}

// Several processes on one engine: the same as several instances on an account.
func TestTheServerRunsOnAnEngineOfItsOwn(t *testing.T) {
	env := onEngine(t, "--ranges", "3")
	one, _ := serving(t, env, "--addr", "127.0.0.1:0")
	two, _ := serving(t, env, "--addr", "127.0.0.1:0")
	ada := newVisitor(t, one)
	ada.signUp("ada")
	path := ada.publish("One title", "text").url.Path
	if p := newVisitor(t, two).get(path); p.status != http.StatusOK {
		t.Errorf("the other instance: status %d", p.status)
	}
	eventually(t, "the other instance's front page shows the post", func() bool {
		return strings.Contains(words(newVisitor(t, two).get("/").Find("main")), "One title")
	})
	eventually(t, "the copies are right", func() bool {
		var out, log bytes.Buffer
		return run(t.Context(), []string{"verify"}, func(name string) string { return env[name] }, &out, &log) == nil
	})
}

func TestTheEngineIsReachedByLocalhostWithACertificateToTrust(t *testing.T) {
	data := t.TempDir()
	address, _ := serving(t, map[string]string{"INKFEED_DATA": data}, "engine", "--addr", "localhost:0", "--identity", "emulator")
	port := address[strings.LastIndex(address, ":")+1:]
	text, err := os.ReadFile(filepath.Join(data, "engine.crt"))
	trusted := x509.NewCertPool()
	if err != nil || !trusted.AppendCertsFromPEM(text) {
		t.Fatalf("engine.crt: %v", err)
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	defer client.CloseIdleConnections()
	hosts := []string{"localhost", "127.0.0.1"}
	if l, err := net.Listen("tcp6", "[::1]:0"); err == nil { // there is IPv6
		l.Close()
		hosts = append(hosts, "[::1]")
	}
	for _, host := range hosts {
		resp, err := client.Get("https://" + host + ":" + port + "/")
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized { // it is the engine, and nobody signed
			t.Errorf("%s: status %d", host, resp.StatusCode)
		}
	}
}

// Nobody can go to the address of all hosts, so clients are not sent there.
func TestTheEmulatorOnAllAddressesIsReached(t *testing.T) {
	key := "dGhlIGtleSBvZiB0aGlzIHRlc3Q="
	address, _ := serving(t, map[string]string{"INKFEED_DATA": t.TempDir()}, "engine", "--addr", "0.0.0.0:0", "--identity", "emulator", "--key", key)
	port := address[strings.LastIndex(address, ":")+1:]
	env := map[string]string{"COSMOS_ENDPOINT": "https://127.0.0.1:" + port, "COSMOS_KEY": key, "COSMOS_INSECURE_TLS": "true"}
	runCommand(t, env, "seed", "--users", "1")
}

func TestTheEngineShowsTheCertificateItIsGiven(t *testing.T) {
	other := t.TempDir() // another engine's certificate stands for the operator's
	_, stop := serving(t, map[string]string{"INKFEED_DATA": other}, "engine", "--addr", "127.0.0.1:0")
	stop()
	certificate, key := filepath.Join(other, "engine.crt"), filepath.Join(other, "engine.key")
	given, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	address, _ := serving(t, map[string]string{"INKFEED_DATA": data}, "engine", "--addr", "127.0.0.1:0",
		"--certificate", certificate, "--certificate-key", key)
	conn, err := tls.Dial("tcp", strings.TrimPrefix(address, "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if shown := conn.ConnectionState().PeerCertificates[0]; !shown.Equal(given.Leaf) {
		t.Errorf("it shows the certificate of %s, made %s", shown.Subject, shown.NotBefore)
	}
	if _, err := os.Stat(filepath.Join(data, "engine.crt")); !os.IsNotExist(err) {
		t.Errorf("it made one of its own: %v", err)
	}
}

func TestMetricsNameTheRequestsOfTheModel(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	port := freeAddr(t)
	base, _ := serving(t, env, "--addr", "127.0.0.1:0", "--ops-addr", port)
	v := newVisitor(t, base)
	v.signUp("ada")
	path := v.publish("Title", "text").url.Path
	id := strings.Split(path, "/")[2]
	v.post("/posts/"+id+"/comments", "content", "Hello")
	v.post("/posts/" + id + "/like")
	v.get("/posts/" + id + "/likes")
	v.get("/@ada")
	v.get("/")
	eventually(t, "metrics", func() bool {
		text := newVisitor(t, "http://"+port).get("/metrics").Text()
		for _, name := range []string{"C1", "C2", "C3", "C4", "Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "copy-to-users", "copy-to-feed"} {
			if !strings.Contains(text, `inkfeed_cosmos_request_charge_total{operation="`+name+`"}`) ||
				!strings.Contains(text, `inkfeed_cosmos_request_seconds_count{operation="`+name+`"}`) {
				return false
			}
		}
		return strings.Contains(text, `inkfeed_workers_changes_total{processor="posts"}`)
	})
	if got := v.get("/metrics"); got.status != http.StatusNotFound {
		t.Errorf("readers see the metrics: status %d", got.status)
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := listenOps("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestHealthcheck(t *testing.T) {
	base := blog(t)
	addr := strings.TrimPrefix(base, "http://")
	if out := runCommand(t, nil, "healthcheck", "--addr", addr); strings.TrimSpace(out) != "ok" {
		t.Errorf("says %q", out)
	}
	if err := run(context.Background(), []string{"healthcheck", "--addr", freeAddr(t)}, func(string) string { return "" }, &logs{}, &logs{}); err == nil {
		t.Error("healthy, although nothing listens")
	}
}

func TestVerifyMakesNothing(t *testing.T) {
	dir := t.TempDir()
	_, err := start(t, map[string]string{"INKFEED_DATA": dir}, "verify")
	if err == nil || !strings.Contains(err.Error(), "no data") {
		t.Errorf("error %v", err)
	}
	if size := databaseSize(dir); size != 0 {
		t.Errorf("it wrote %d bytes", size)
	}
	env := map[string]string{"INKFEED_DATA": dir}
	// A backup in the folder is not its database, and must not be hidden by an empty one.
	if err := os.WriteFile(filepath.Join(dir, "backup.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := start(t, env, "verify"); err == nil || !strings.Contains(err.Error(), "no data") {
		t.Errorf("error %v", err)
	}
	runCommand(t, env, "seed", "--users", "1")
	env["COSMOS_DATABASE"] = "other"
	if _, err := start(t, env, "verify"); err == nil || !strings.Contains(err.Error(), `no database "other"`) {
		t.Errorf("error %v", err)
	}
}

func TestASecondProcessIsToldThatTheDataIsInUse(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"INKFEED_DATA": dir}
	serving(t, env, "--addr", "127.0.0.1:0")
	for _, command := range []string{"serve", "seed", "verify", "rebuild", "user list", "user promote ada", "deadletters list", "deadletters retry --all",
		"import --as ada " + testExports + "jekyll", "engine --addr 127.0.0.1:0", "split --container posts"} {
		_, err := start(t, env, strings.Fields(command)...)
		if want := fmt.Sprintf("--data or INKFEED_DATA: data directory %q is in use by another process: stop the server first", dir); err == nil || err.Error() != want {
			t.Errorf("%s: error %v", command, err)
		}
	}
}

// What a server logs at its start, to whoever runs it.
func TestTheLogOfAStart(t *testing.T) {
	startLog := func(t *testing.T, env map[string]string) string {
		t.Helper()
		var log logs
		s := spawn(t, env, &log, "--addr", "127.0.0.1:0")
		defer s.kill()
		if err := s.stop(); err != nil {
			t.Errorf("it ends with %v", err)
		}
		return log.String()
	}
	t.Run("of an empty blog says how to fill it, and of another does not", func(t *testing.T) {
		env := map[string]string{"INKFEED_DATA": t.TempDir()}
		if log := startLog(t, env); !strings.Contains(log, "the blog is empty") || !strings.Contains(log, "level=INFO") {
			t.Errorf("log:\n%s", log)
		}
		runCommand(t, env, "seed", "--users", "1")
		if log := startLog(t, env); strings.Contains(log, "blog is empty") {
			t.Errorf("log:\n%s", log)
		}
	})
	t.Run("says how a site gets an administrator that has users and none", func(t *testing.T) {
		env := map[string]string{"INKFEED_DATA": t.TempDir()}
		const line = "inkfeed user promote NAME"
		runCommand(t, env, "seed", "--users", "1")
		if log := startLog(t, env); strings.Contains(log, line) {
			t.Errorf("with sample users only:\n%s", log)
		}
		beforeRoles(t, env, "ada")
		if log := startLog(t, env); !strings.Contains(log, line) || !strings.Contains(log, "level=WARN") {
			t.Errorf("log:\n%s", log)
		}
		runCommand(t, env, "user", "promote", "ada")
		if log := startLog(t, env); strings.Contains(log, line) {
			t.Errorf("with an administrator:\n%s", log)
		}
	})
	t.Run("names the folder of the pictures, without a warning on an engine of this machine", func(t *testing.T) {
		env := with(onEngine(t), "INKFEED_DATA", t.TempDir())
		log := startLog(t, env)
		if folder := filepath.Join(env["INKFEED_DATA"], "media"); !strings.Contains(log, "folder="+folder) || strings.Contains(log, "level=WARN") {
			t.Errorf("log:\n%s", log)
		}
	})
	t.Run("warns of a folder that instances elsewhere do not have", func(t *testing.T) {
		var out bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&out, nil))
		for endpoint, warns := range map[string]bool{"https://blog.documents.azure.com:443/": true, "https://127.0.0.1:8081": false, "https://[::1]:8081": false, "https://localhost:8081": false} {
			out.Reset()
			c := config.New(environment(map[string]string{"COSMOS_ENDPOINT": endpoint}))
			c.TellOfMedia(logger)
			if log := out.String(); !strings.Contains(log, "folder=data/media") || strings.Contains(log, "level=WARN") != warns {
				t.Errorf("%s: %s", endpoint, log)
			}
		}
	})
}
