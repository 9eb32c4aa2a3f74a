package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded"
)

// runWith runs the program with an environment and returns what it printed.
func runWith(t *testing.T, env map[string]string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, logs bytes.Buffer
	err = Run(t.Context(), args, func(name string) string { return env[name] }, &out, &logs)
	return out.String(), err
}

func TestInvalidSettingIsReportedInOneLineThatNamesIt(t *testing.T) {
	account := map[string]string{"COSMOS_ENDPOINT": "https://localhost:8081", "COSMOS_KEY": "a2V5"}
	with := func(name, value string) map[string]string {
		env := map[string]string{name: value}
		for k, v := range account {
			if _, set := env[k]; !set {
				env[k] = v
			}
		}
		return env
	}
	key := strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		args  []string
		env   map[string]string
		names string
	}{
		"unknown command":        {[]string{"sreve"}, nil, "sreve"},
		"unknown flag":           {[]string{"--prot", "1"}, nil, "-prot"},
		"additional argument":    {[]string{"verify", "now"}, nil, "now"},
		"address without a port": {[]string{"--addr", "localhost"}, nil, "--addr"},
		"invalid address in the environment": {nil,
			map[string]string{"INKFEED_ADDR": "here:there"}, "INKFEED_ADDR"},
		"port out of range":                      {[]string{"--addr", ":65536"}, nil, "--addr"},
		"metrics address without a host":         {[]string{"--ops-addr", "9090"}, nil, "--ops-addr"},
		"unknown log level":                      {[]string{"--log-level", "loud"}, nil, "--log-level"},
		"unknown log format":                     {[]string{"--log-format", "xml"}, nil, "--log-format"},
		"address as the name of a host":          {[]string{"--ops-hosts", "http://blog-1"}, nil, "--ops-hosts"},
		"profiles without an operators' address": {[]string{"--pprof"}, nil, "--ops-addr"},
		"invalid boolean for profiles": {nil,
			map[string]string{"INKFEED_PPROF": "perhaps"}, "INKFEED_PPROF"},
		"empty data folder": {[]string{"--data", " "}, nil, "--data"},
		"session key that is not hexadecimal": {nil,
			map[string]string{"INKFEED_SESSION_KEYS": "secret"}, "INKFEED_SESSION_KEYS"},
		"short second session key": {nil,
			map[string]string{"INKFEED_SESSION_KEYS": key + ",abcd"}, "key 2"},
		"database name with a slash": {nil,
			map[string]string{"COSMOS_DATABASE": "a/b"}, "COSMOS_DATABASE"},
		"key without an endpoint":     {nil, map[string]string{"COSMOS_KEY": "a2V5"}, "COSMOS_ENDPOINT"},
		"regions without an endpoint": {nil, map[string]string{"COSMOS_REGIONS": "West Europe"}, "COSMOS_REGIONS"},
		"region without a name":       {nil, with("COSMOS_REGIONS", "West Europe,,North Europe"), "COSMOS_REGIONS"},
		"endpoint that is not a URL":  {nil, with("COSMOS_ENDPOINT", "account"), "COSMOS_ENDPOINT"},
		"connection string as the endpoint": {nil, with("COSMOS_ENDPOINT",
			"AccountEndpoint=https://a.documents.azure.com:443/;AccountKey="+key+";"), "COSMOS_ENDPOINT"},
		"key that is not base64":       {nil, with("COSMOS_KEY", "not a key"), "COSMOS_KEY"},
		"account without session keys": {nil, account, "INKFEED_SESSION_KEYS"},
		"invalid boolean for insecure TLS": {nil,
			with("COSMOS_INSECURE_TLS", "perhaps"), "COSMOS_INSECURE_TLS"},
		"insecure TLS to another machine": {nil, map[string]string{"COSMOS_INSECURE_TLS": "true", "COSMOS_KEY": "a2V5",
			"COSMOS_ENDPOINT": "https://account.documents.azure.com:443/"}, "COSMOS_INSECURE_TLS"},
		"seed of no users":                     {[]string{"seed", "--users", "0"}, nil, "--users"},
		"number of users that is not a number": {[]string{"seed", "--users", "many"}, nil, "-users"},
		"public engine with the well-known key": {[]string{"engine", "--addr", "0.0.0.0:8081"},
			nil, "--key"},
		"engine with too many ranges": {[]string{"engine", "--ranges", "1001"}, nil, "--ranges"},
		"engine without throughput":   {[]string{"engine", "--throughput", "0"}, nil, "--throughput"},
		"unknown format of the schema": {[]string{"schema", "--format", "yaml"},
			nil, "--format"},
		"verify of pages that waits": {[]string{"verify", "--pages", "127.0.0.1:1", "--wait"}, nil, "--wait"},
		"walk without pages":         {[]string{"verify", "--walk"}, nil, "--walk: needs --pages"},
		"rate without pages":         {[]string{"verify", "--rate", "10"}, nil, "--rate: needs --pages"},
		"default rate without pages": {[]string{"verify", "--rate", "100"}, nil, "--rate: needs --pages"},
		"split without a container":  {[]string{"split"}, nil, "--container"},
		"split without data":         {[]string{"split", "--container", "posts"}, nil, "--data"},
		"public engine with the well-known key as a flag": {
			[]string{"engine", "--addr", "0.0.0.0:8081", "--key", embedded.WellKnownKey}, nil, "--key"},
		"engine key that is not base64": {[]string{"engine", "--key", "!"}, nil, "--key"},
		"second engine key that is not base64": {[]string{"engine"}, map[string]string{
			"INKFEED_ENGINE_KEY": embedded.WellKnownKey + ",!"}, "INKFEED_ENGINE_KEY"},
		"three engine keys": {[]string{"engine"}, map[string]string{
			"INKFEED_ENGINE_KEY": strings.Repeat(embedded.WellKnownKey+",", 2) + embedded.WellKnownKey},
			"one or two keys"},
		"public engine with the well-known key as its second": {[]string{"engine", "--addr", "0.0.0.0:8081"},
			map[string]string{"INKFEED_ENGINE_KEY": strings.Repeat("YWJj", 8) + "," + embedded.WellKnownKey}, "--key"},
		"the explorer of earlier releases": {[]string{"engine", "--explorer"}, nil,
			"--explorer: removed: the engine has no data explorer"},
		"its address":      {[]string{"engine", "--explorer-addr", "localhost:8082"}, nil, "--explorer-addr: removed"},
		"its forms":        {[]string{"engine", "--explorer-write"}, nil, "--explorer-write: removed"},
		"unknown identity": {[]string{"engine", "--identity", "azure"}, nil, "--identity"},
		"certificate without its key": {[]string{"engine", "--certificate", "engine.crt"},
			nil, "--certificate-key"},
		"engine data that is not a folder": {[]string{"engine", "--addr", "127.0.0.1:0", "--data", os.Args[0]},
			nil, "--data"},
		"two places for pictures": {[]string{"--media", "here"},
			map[string]string{"INKFEED_BLOB_CONTAINER_URL": "https://a.blob.core.windows.net/c?sig=x"}, "--media"},
		"two containers for pictures": {nil, map[string]string{
			"INKFEED_BLOB_CONTAINER_URL": "https://a.blob.core.windows.net/c?sig=x",
			"INKFEED_BLOB_CONTAINER":     "c", "AZURE_STORAGE_CONNECTION_STRING": "x"}, "INKFEED_BLOB_CONTAINER"},
		"container without its account": {nil,
			map[string]string{"INKFEED_BLOB_CONTAINER": "pictures"}, "AZURE_STORAGE_CONNECTION_STRING"},
		"invalid name of a container": {nil,
			map[string]string{"INKFEED_BLOB_CONTAINER": "Pictures!", "AZURE_STORAGE_CONNECTION_STRING": "x"},
			"INKFEED_BLOB_CONTAINER"},
		"invalid connection string for pictures": {nil,
			map[string]string{"INKFEED_BLOB_CONTAINER": "pictures", "AZURE_STORAGE_CONNECTION_STRING": "x"},
			"AZURE_STORAGE_CONNECTION_STRING"},
		"container URL without a name": {nil,
			map[string]string{"INKFEED_BLOB_CONTAINER_URL": "https://a.blob.core.windows.net/?sig=x"},
			"INKFEED_BLOB_CONTAINER_URL"},
		"container URL without TLS": {nil,
			map[string]string{"INKFEED_BLOB_CONTAINER_URL": "http://a.blob.core.windows.net/c?sig=x"},
			"INKFEED_BLOB_CONTAINER_URL"},
		"container of pictures that would get a token over http": {nil,
			map[string]string{"INKFEED_BLOB_CONTAINER_URL": "http://127.0.0.1:1/account/c"},
			"INKFEED_BLOB_CONTAINER_URL"},
		"container of pictures at a host that no token is for": {nil,
			map[string]string{"INKFEED_BLOB_CONTAINER_URL": "https://blobs.example.org/pictures"},
			"INKFEED_BLOB_CONTAINER_URL"},
		"folder besides an account": {[]string{"verify", "--data", "restored"}, account, "--data"},
		"split with an unreachable endpoint": {[]string{"split", "--container", "posts"},
			map[string]string{"COSMOS_ENDPOINT": "https://127.0.0.1:1", "COSMOS_KEY": "a2V5"}, "COSMOS_ENDPOINT"},
		"backup to a file without a name":          {[]string{"backup", ""}, nil, "FILE"},
		"restore of a file that is not a database": {[]string{"restore", os.Args[0]}, nil, os.Args[0]},
		"restore of a folder":                      {[]string{"restore", os.TempDir()}, nil, os.TempDir()},
		"interval that is not a duration":          {[]string{"--poll", "soon"}, nil, "--poll or INKFEED_POLL"},
		"interval of zero": {nil,
			map[string]string{"INKFEED_LEASE_ACQUIRE": "0s"}, "--lease-acquire or INKFEED_LEASE_ACQUIRE"},
		"negative interval": {[]string{"verify", "--lease-expiration", "-1m"},
			nil, "--lease-expiration"},
		"renewal interval too long for the expiration": {[]string{"--lease-renew", "31s"},
			nil, "--lease-renew or INKFEED_LEASE_RENEW"},
		"acquisition interval too long for the expiration": {[]string{"seed", "--lease-acquire", "60s"},
			nil, "--lease-acquire or INKFEED_LEASE_ACQUIRE"},
		"grace period that is not a duration": {[]string{"--deletion-grace", "a while"},
			nil, "--deletion-grace"},
		"negative grace period": {nil,
			map[string]string{"INKFEED_DELETION_GRACE": "-1d"}, "INKFEED_DELETION_GRACE"},
		"grace period out of range": {[]string{"--deletion-grace", "9000000d"},
			nil, "--deletion-grace"},
		"mail server without a sender": {[]string{"--url", "https://blog.example.org"},
			map[string]string{"INKFEED_SMTP_URL": "smtp://mail.example.org"}, "INKFEED_MAIL_FROM is needed"},
		"sender without a mail server": {nil,
			map[string]string{"INKFEED_MAIL_FROM": "blog@example.org"}, "INKFEED_SMTP_URL is needed"},
		"lag limit without a unit": {nil,
			map[string]string{"INKFEED_LAG_LIMIT": "60"}, "--lag-limit or INKFEED_LAG_LIMIT"},
		"site URL without a scheme": {nil,
			map[string]string{"INKFEED_URL": "blog.example.org"}, "--url or INKFEED_URL"},
		"unknown rate limit": {[]string{"--rate-limits", "logins=1/1m"},
			nil, "--rate-limits or INKFEED_RATE_LIMITS: there is no limit"},
		"HSTS without a time": {[]string{"--hsts", "includeSubDomains"}, nil, "--hsts or INKFEED_HSTS"},
		"rate limit that is not a rate": {nil,
			map[string]string{"INKFEED_RATE_LIMITS": "login=ten/1m"}, "--rate-limits or INKFEED_RATE_LIMITS"},
		"public server without rate limits": {[]string{"--addr", "0.0.0.0:0", "--rate-limits", "off"},
			nil, "--rate-limits or INKFEED_RATE_LIMITS"},
		"server on all addresses without rate limits": {[]string{"--addr", ":0"},
			map[string]string{"INKFEED_RATE_LIMITS": "off"}, "--rate-limits or INKFEED_RATE_LIMITS"},
		"trusted proxy that is not an address": {nil,
			map[string]string{"INKFEED_TRUSTED_PROXIES": "10.0.0.0/8,proxy"},
			"--trusted-proxies or INKFEED_TRUSTED_PROXIES"},
		"flag of another command":    {[]string{"verify", "--ops-addr", "127.0.0.1:0"}, nil, "-ops-addr"},
		"incomplete command":         {[]string{"deadletters"}, nil, "list or retry"},
		"unknown subcommand":         {[]string{"deadletters", "read"}, nil, "list or retry"},
		"retry without dead letters": {[]string{"deadletters", "retry"}, nil, "--all"},
		"retry of all dead letters and of one": {[]string{"deadletters", "retry", "--all", "posts/p/p"},
			nil, "--all"},
		"flag after an argument": {[]string{"deadletters", "retry", "posts/p/p", "--all"},
			nil, "--all"},
		"dead letters without data":   {[]string{"deadletters", "list"}, nil, "--data"},
		"unknown role":                {[]string{"user", "promote", "ada", "--role", "king"}, nil, "--role"},
		"suspension without a reason": {[]string{"user", "suspend", "ada"}, nil, "--reason"},
		"command without a user":      {[]string{"user", "promote"}, nil, "NAME"},
		"command with two users":      {[]string{"user", "promote", "ada", "bob"}, nil, "NAME"},
		"command with two users and a flag": {[]string{"user", "promote", "ada", "--role", "author", "bob"},
			nil, "NAME"},
		"users without data": {[]string{"user", "list"}, nil, "--data"},
		"unknown projector":  {[]string{"rebuild", "--projector", "feed"}, nil, "--projector"},
		"missing certificate file": {
			[]string{"engine", "--addr", "127.0.0.1:0", "--certificate", "none", "--certificate-key", "none"},
			nil, "--certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"INKFEED_DATA": t.TempDir()}
			for k, v := range c.env {
				env[k] = v
			}
			_, err := runWith(t, env, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.names) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line that names %s", err, c.names)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("error %q contains a secret", err)
			}
		})
	}
}

func TestHelpShowsTheFlagsOfACommand(t *testing.T) {
	if out, err := runWith(t, nil, "help", "seed"); err != nil || !strings.Contains(out, "-users") {
		t.Errorf("help seed: error %v, output without -users: %s", err, out)
	}
	if _, err := runWith(t, nil, "help", "sede"); err == nil || !strings.Contains(err.Error(), "sede") {
		t.Errorf("help sede: error %v, want one that names the unknown command", err)
	}
	out, err := runWith(t, nil, "seed", "--help")
	if err != nil || !strings.Contains(out, "-users") || !strings.Contains(out, "-data") ||
		!strings.Contains(out, "inkfeed help") {
		t.Errorf("seed --help: error %v, output without a flag or a hint at the help: %s", err, out)
	}
	for name, command := range commands() {
		if name != "seed" && strings.Contains(out, command.help) {
			t.Errorf("the help of seed also lists %s:\n%s", name, out)
		}
	}
	out, err = runWith(t, nil, "help")
	for name, command := range commands() {
		if err != nil || !strings.Contains(out, "  "+name+" ") || !strings.Contains(out, command.help) {
			t.Errorf("help does not list %s: %v\n%s", name, err, out)
		}
	}
}

func TestHelpOfACommandGroupListsItsCommands(t *testing.T) {
	for _, line := range []string{"help user", "user --help", "user -h", "user help"} {
		out, err := runWith(t, nil, strings.Fields(line)...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for name, command := range commands() {
			inGroup := strings.HasPrefix(name, "user ")
			if strings.Contains(out, "  "+name+" ") != inGroup || strings.Contains(out, command.help) != inGroup {
				t.Errorf("%s: lists %s is not %v:\n%s", line, name, inGroup, out)
			}
		}
		if strings.Contains(out, "-data") {
			t.Errorf("%s shows the flags of a single command:\n%s", line, out)
		}
	}
}

func TestHelpListsOnlyTheFlagsOfTheCommand(t *testing.T) {
	unlisted := commands()
	store := []string{"data"}
	workers := append([]string{"lease-acquire", "lease-expiration", "lease-renew", "poll", "media"}, store...)
	for name, want := range map[string][]string{
		"serve": append([]string{"addr", "ops-addr", "ops-hosts", "log-level", "log-format", "pprof", "url", "cache-mb",
			"lag-limit", "schedule-poll", "trusted-proxies", "hsts", "rate-limits", "prices", "signup-time",
			"deletion-grace", "drain-time", "finish-time", "idle-after", "merge-above"}, workers...),
		"import": append([]string{"as", "authors", "create-authors", "dry-run", "language", "missing-pictures",
			"report", "templates", "uploads", "url"}, workers...),
		"seed":              append([]string{"users", "seed", "beside-users"}, workers...),
		"verify":            append([]string{"wait", "pages", "rate", "walk"}, workers...),
		"rebuild":           append([]string{"projector"}, workers...),
		"deadletters list":  store,
		"deadletters retry": append([]string{"all", "media"}, store...),
		"backup":            store,
		"restore":           store,
		"schema":            {"format"},
		"bench-model":       append([]string{"ranges"}, store...),
		"split":             append([]string{"container", "range"}, store...),
		"engine": append([]string{"addr", "key", "ranges", "identity", "certificate", "certificate-key",
			"enforce-throughput", "throughput", "permissive", "split-pages"}, store...),
		"mail check":    nil,
		"bounces":       store,
		"healthcheck":   {"addr"},
		"version":       nil,
		"user list":     append([]string{"staff", "suspended"}, store...),
		"user show":     store,
		"user promote":  append([]string{"role"}, store...),
		"user suspend":  append([]string{"reason"}, store...),
		"user restore":  store,
		"user password": append([]string{"stdin"}, store...),
		"user factors":  store,
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runWith(t, nil, append(strings.Fields(name), "--help")...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, found := range regexp.MustCompile(`(?m)^  --([a-z-]+)`).FindAllStringSubmatch(out, -1) {
				got = append(got, found[1])
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("the help lists %v, want %v", got, want)
			}
			delete(unlisted, name)
		})
	}
	for name := range unlisted {
		t.Errorf("%s is not tested", name)
	}
}

// TestEachCommandHasAFile checks that the name of each file begins with the name of its command.
func TestEachCommandHasAFile(t *testing.T) {
	found, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range found {
		if name, isTest := strings.CutSuffix(strings.TrimSuffix(name, ".go"), "_test"); !isTest {
			files = append(files, name)
		}
	}
	of := map[string]bool{"cli": true, "help": true}
	for name := range commands() {
		name = strings.ReplaceAll(name, "-", "") // as in the names of files
		word, _, _ := strings.Cut(name, " ")
		of[word] = true
		if full := strings.ReplaceAll(name, " ", "_"); !slices.Contains(files, full) && !slices.Contains(files, word) {
			t.Errorf("%s has no file", name)
		}
	}
	for _, file := range files {
		if word, _, _ := strings.Cut(file, "_"); !of[word] {
			t.Errorf("%s.go does not begin with the name of a command", file)
		}
	}
}

func TestVersionDescribesTheBuild(t *testing.T) {
	for _, argument := range []string{"version", "--version"} {
		out, err := runWith(t, nil, argument)
		if err != nil || !strings.HasPrefix(out, "inkfeed ") || !strings.Contains(out, "go1.") {
			t.Errorf("inkfeed %s prints %q, %v", argument, out, err)
		}
	}
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"},
		{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
		{Key: "vcs.modified", Value: "true"},
	}}
	if got := describeBuild(info); got != "inkfeed v1.2.3, commit abc of 2026-01-02T03:04:05Z, modified, go1.26" {
		t.Errorf("got %q", got)
	}
}

func TestShellsCanCompleteCommandsAndFlags(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		out, err := runWith(t, nil, "completion", shell)
		if err != nil || !strings.Contains(out, "--generate-shell-completion") {
			t.Errorf("%s: %v: %q", shell, err, out)
		}
	}
	for typed, want := range map[string]string{"deadletters": "retry:", "user": "promote:",
		"user promote --ro": "--role:", "serve --cache": "--cache-mb:"} {
		out, err := runWith(t, nil, append(strings.Fields(typed), "--generate-shell-completion")...)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("after %q: %v: %q", typed, err, out)
		}
	}
}
