package commands

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

	"inkfeed/web/cli"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

func TestSeedWaitsUntilItsDataIsProjected(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	out := harness.RunCommand(t, env, "seed", "--users", "6")
	if !strings.Contains(out, "6 users") || !strings.Contains(out, cli.SamplePassword) {
		t.Errorf("seed prints: %s", out)
	}
	harness.Verify(t, env) // without --wait, because seed waits for the projectors
	harness.RunCommand(t, env, "seed", "--users", "6")
	harness.Verify(t, env) // the second seed counts nothing twice

	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	v := harness.NewVisitor(t, base)
	if n := v.Get("/").Find("main article, .folded li").Length(); n != 20 {
		t.Errorf("%d posts on the front page, want 20", n)
	}
	if v.Get("/").Find("main article img[src^='/media/'][src*='x540']").Length() == 0 {
		t.Error("the front page has no covers")
	}
	harness.Eventually(t, "the search index is complete", func() bool {
		return v.Get("/authors").Find(".index-building").Length() == 0
	})
	if v.Get("/authors").Find("main img[src*='384x384']").Length() == 0 {
		t.Error("the list of authors has no avatars")
	}
	name := strings.Fields(out[strings.Index(out, "for example ")+len("for example "):])[0]
	p := v.Post("/login", "username", name, "password", cli.SamplePassword)
	if p.Status != http.StatusOK || p.URL.Path == "/login" {
		t.Errorf("login as %s: status %d at %s", name, p.Status, p.URL)
	}
}

func TestSeedRefusesABlogWithRealUsers(t *testing.T) {
	t.Parallel()
	env := harness.BlogOf(t, "ada")
	for range 2 {
		_, err := harness.Try(t, env, "seed", "--users", "2")
		if err == nil || !strings.Contains(err.Error(), "real users, such as ada") ||
			!strings.Contains(err.Error(), "--beside-users") {
			t.Errorf("seed beside a real user: error %v", err)
		}
	}
	if out := harness.RunCommand(t, env, "verify"); !strings.Contains(out, "of 1 user and 0 posts") {
		t.Errorf("the refused seed has written data: %s", out)
	}
	harness.RunCommand(t, env, "seed", "--users", "2", "--beside-users")
	harness.Verify(t, env)
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	v := harness.NewVisitor(t, base)
	v.LogIn("ada")
	if p := v.Post("/settings/delete", "password", "correct horse"); p.Status != http.StatusOK {
		t.Fatalf("deleting the account: status %d: %s", p.Status, harness.Text(p.Find("main")))
	}
	stop()
	harness.RunCommand(t, env, "seed", "--users", "3", "--seed", "2") // the remaining users are sample users
}

// TestKilledSeedLeavesConsistentData kills the command seed while it writes. After the next start of a server all
// copies are correct.
func TestKilledSeedLeavesConsistentData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := map[string]string{"INKFEED_DATA": dir}
	cmd := harness.Program(t, env, "seed", "--users", "150")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); harness.DatabaseSize(dir) < 4<<20; {
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			t.Fatalf("the seed has written too little within a minute: %s", out.String())
		}
		time.Sleep(10 * time.Millisecond) // until it has written something
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the seed ended before it was killed")
	}
	// The workers of the server project the data of the seed.
	base, stop := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	if p := harness.NewVisitor(t, base).Get("/"); p.Status != http.StatusOK {
		t.Errorf("front page: status %d", p.Status)
	}
	stop()
	harness.Verify(t, env, "--wait")
}

// TestServersShareAServedEngine runs two servers on one engine, like two instances on an account.
func TestServersShareAServedEngine(t *testing.T) {
	t.Parallel()
	env := harness.OnEngine(t, "--ranges", "3")
	one, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	two, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0")
	ada := harness.NewVisitor(t, one)
	ada.SignUp("ada")
	path := ada.Publish("One title", "text").URL.Path
	if p := harness.NewVisitor(t, two).Get(path); p.Status != http.StatusOK {
		t.Errorf("the post on the other server: status %d", p.Status)
	}
	harness.Eventually(t, "the front page of the other server shows the post", func() bool {
		return strings.Contains(harness.Text(harness.NewVisitor(t, two).Get("/").Find("main")), "One title")
	})
	harness.Eventually(t, "the copies are correct", func() bool {
		var out, log bytes.Buffer
		getenv := func(name string) string { return env[name] }
		return cli.Run(t.Context(), []string{"verify"}, getenv, &out, &log) == nil
	})
}

func TestEngineCertificateIsTrustedOnLoopback(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	address, _ := harness.Serve(t, map[string]string{"INKFEED_DATA": data},
		"engine", "--addr", "localhost:0", "--identity", "emulator")
	port := address[strings.LastIndex(address, ":")+1:]
	text, err := os.ReadFile(filepath.Join(data, "engine.crt"))
	trusted := x509.NewCertPool()
	if err != nil || !trusted.AppendCertsFromPEM(text) {
		t.Fatalf("engine.crt: %v", err)
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	defer client.CloseIdleConnections()
	hosts := []string{"localhost", "127.0.0.1"}
	if l, err := net.Listen("tcp6", "[::1]:0"); err == nil { // this machine has IPv6
		l.Close()
		hosts = append(hosts, "[::1]")
	}
	for _, host := range hosts {
		resp, err := client.Get("https://" + host + ":" + port + "/")
		if err != nil {
			t.Errorf("a request to %s: %v", host, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized { // the engine refuses a request without a signature
			t.Errorf("a request to %s: status %d, want %d", host, resp.StatusCode, http.StatusUnauthorized)
		}
	}
}

// TestEmulatorOnAllAddressesIsReachable holds that the emulator does not refer clients to 0.0.0.0, to which they cannot
// connect.
func TestEmulatorOnAllAddressesIsReachable(t *testing.T) {
	t.Parallel()
	key := "dGhlIGtleSBvZiB0aGlzIHRlc3Q="
	address, _ := harness.Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()},
		"engine", "--addr", "0.0.0.0:0", "--identity", "emulator", "--key", key)
	port := address[strings.LastIndex(address, ":")+1:]
	env := map[string]string{
		"COSMOS_ENDPOINT": "https://127.0.0.1:" + port, "COSMOS_KEY": key, "COSMOS_INSECURE_TLS": "true",
	}
	harness.RunCommand(t, env, "seed", "--users", "1")
}

func TestEngineUsesTheGivenCertificate(t *testing.T) {
	t.Parallel()
	other := t.TempDir() // the certificate of another engine serves as the operator's
	_, stop := harness.Serve(t, map[string]string{"INKFEED_DATA": other}, "engine", "--addr", "127.0.0.1:0")
	stop()
	certificate, key := filepath.Join(other, "engine.crt"), filepath.Join(other, "engine.key")
	given, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	address, _ := harness.Serve(t, map[string]string{"INKFEED_DATA": data}, "engine", "--addr", "127.0.0.1:0",
		"--certificate", certificate, "--certificate-key", key)
	conn, err := tls.Dial("tcp", strings.TrimPrefix(address, "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if shown := conn.ConnectionState().PeerCertificates[0]; !shown.Equal(given.Leaf) {
		t.Errorf("the engine uses the certificate of %s from %s", shown.Subject, shown.NotBefore)
	}
	if _, err := os.Stat(filepath.Join(data, "engine.crt")); !os.IsNotExist(err) {
		t.Errorf("the engine also generated a certificate: %v", err)
	}
}

func TestMetricsNameTheRequestsOfTheModel(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	opsAddress := harness.FreeAddr(t)
	base, _ := harness.Serve(t, env, "--addr", "127.0.0.1:0", "--ops-addr", opsAddress)
	v := harness.NewVisitor(t, base)
	v.SignUp("ada")
	path := v.Publish("Title", "text").URL.Path
	id := strings.Split(path, "/")[2]
	v.Post("/posts/"+id+"/comments", "content", "Hello")
	v.Post("/posts/" + id + "/like")
	v.Get("/posts/" + id + "/likes")
	v.Get("/@ada")
	v.Get("/")
	harness.Eventually(t, "the metrics name all requests", func() bool {
		text := harness.NewVisitor(t, "http://"+opsAddress).Get("/metrics").Text()
		for _, name := range []string{
			"C1", "C2", "C3", "C4", "Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "copy-to-users", "copy-to-feed",
		} {
			if !strings.Contains(text, `inkfeed_cosmos_request_charge_total{operation="`+name+`"}`) ||
				!strings.Contains(text, `inkfeed_cosmos_request_seconds_count{operation="`+name+`"}`) {
				return false
			}
		}
		return strings.Contains(text, `inkfeed_workers_changes_total{processor="posts"}`)
	})
	if got := v.Get("/metrics"); got.Status != http.StatusNotFound {
		t.Errorf("the public address serves the metrics: status %d", got.Status)
	}
}

func TestHealthcheckFailsUnlessAServerListens(t *testing.T) {
	t.Parallel()
	base := harness.ServeBlog(t)
	addr := strings.TrimPrefix(base, "http://")
	if out := harness.RunCommand(t, nil, "healthcheck", "--addr", addr); strings.TrimSpace(out) != "ok" {
		t.Errorf("healthcheck prints %q", out)
	}
	command := []string{"healthcheck", "--addr", harness.FreeAddr(t)}
	getenv := func(string) string { return "" }
	if err := cli.Run(context.Background(), command, getenv, &harness.Logs{}, &harness.Logs{}); err == nil {
		t.Error("healthcheck succeeds, although no server listens")
	}
}

func TestVerifyCreatesNoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := harness.Try(t, map[string]string{"INKFEED_DATA": dir}, "verify")
	if err == nil || !strings.Contains(err.Error(), "no data") {
		t.Errorf("verify of an empty folder: error %v", err)
	}
	if size := harness.DatabaseSize(dir); size != 0 {
		t.Errorf("verify has written %d bytes", size)
	}
	env := map[string]string{"INKFEED_DATA": dir}
	// A backup in the folder is not its database. An empty database beside it would hide that the data is missing.
	if err := os.WriteFile(filepath.Join(dir, "backup.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := harness.Try(t, env, "verify"); err == nil || !strings.Contains(err.Error(), "no data") {
		t.Errorf("verify of a folder with a backup: error %v", err)
	}
	harness.RunCommand(t, env, "seed", "--users", "1")
	env["COSMOS_DATABASE"] = "other"
	if _, err := harness.Try(t, env, "verify"); err == nil || !strings.Contains(err.Error(), `no database "other"`) {
		t.Errorf("verify of another database: error %v", err)
	}
}

func TestSecondProcessOnTheSameDataIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := map[string]string{"INKFEED_DATA": dir}
	harness.Serve(t, env, "--addr", "127.0.0.1:0")
	want := fmt.Sprintf(
		"--data or INKFEED_DATA: data directory %q is in use by another process: stop the server first", dir)
	for _, command := range []string{
		"serve", "seed", "verify", "rebuild", "user list", "user promote ada", "deadletters list",
		"deadletters retry --all", "import --as ada " + harness.Exports + "jekyll", "engine --addr 127.0.0.1:0",
		"split --container posts",
	} {
		_, err := harness.Try(t, env, strings.Fields(command)...)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %q", command, err, want)
		}
	}
}

func TestLogOfAStartAdvisesTheOperator(t *testing.T) {
	t.Parallel()
	startLog := func(t *testing.T, env map[string]string) string {
		t.Helper()
		var log harness.Logs
		s := harness.Spawn(t, env, &log, "--addr", "127.0.0.1:0")
		defer s.Kill()
		if err := s.Stop(); err != nil {
			t.Errorf("stopping the server: %v", err)
		}
		return log.String()
	}
	t.Run("says how to fill an empty blog only", func(t *testing.T) {
		env := map[string]string{"INKFEED_DATA": t.TempDir()}
		log := startLog(t, env)
		if !strings.Contains(log, "the blog is empty") || !strings.Contains(log, "level=INFO") {
			t.Errorf("the log of an empty blog:\n%s", log)
		}
		harness.RunCommand(t, env, "seed", "--users", "1")
		if log := startLog(t, env); strings.Contains(log, "blog is empty") {
			t.Errorf("the log of a blog with posts:\n%s", log)
		}
	})
	t.Run("says how to appoint an administrator if no user is one", func(t *testing.T) {
		env := map[string]string{"INKFEED_DATA": t.TempDir()}
		const line = "inkfeed user promote NAME"
		harness.RunCommand(t, env, "seed", "--users", "1")
		if log := startLog(t, env); strings.Contains(log, line) {
			t.Errorf("the log with sample users only:\n%s", log)
		}
		createUserWithoutRole(t, env, "ada")
		if log := startLog(t, env); !strings.Contains(log, line) || !strings.Contains(log, "level=WARN") {
			t.Errorf("the log with users, but no administrator:\n%s", log)
		}
		harness.RunCommand(t, env, "user", "promote", "ada")
		if log := startLog(t, env); strings.Contains(log, line) {
			t.Errorf("the log with an administrator:\n%s", log)
		}
	})
	t.Run("names the folder of pictures without a warning if the engine is local", func(t *testing.T) {
		env := harness.With(harness.OnEngine(t), "INKFEED_DATA", t.TempDir())
		log := startLog(t, env)
		folder := filepath.Join(env["INKFEED_DATA"], "media")
		if !strings.Contains(log, "folder="+folder) || strings.Contains(log, "level=WARN") {
			t.Errorf("the log does not name %s, or has a warning:\n%s", folder, log)
		}
	})
	t.Run("warns that servers on other machines cannot use the folder of pictures", func(t *testing.T) {
		var out bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&out, nil))
		for endpoint, warns := range map[string]bool{
			"https://blog.documents.azure.com:443/": true,
			"https://127.0.0.1:8081":                false,
			"https://[::1]:8081":                    false,
			"https://localhost:8081":                false,
		} {
			out.Reset()
			c := config.New(harness.Environment(map[string]string{"COSMOS_ENDPOINT": endpoint}))
			c.LogMediaFolder(logger)
			log := out.String()
			if !strings.Contains(log, "folder=data/media") || strings.Contains(log, "level=WARN") != warns {
				t.Errorf("%s: want a warning: %t; the log is %s", endpoint, warns, log)
			}
		}
	})
}
