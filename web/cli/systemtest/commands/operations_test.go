package commands

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"inkfeed/web/cli/systemtest/harness"
)

// operations is the folder of the files that operators copy. Tests run in the folder of the module.
const operations = "docs/operations"

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(operations, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAlertsAskForMetricsThatExist compares alerts.yml with the metrics of a server, and with alerts.md.
func TestAlertsAskForMetricsThatExist(t *testing.T) {
	t.Parallel()
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      struct{ Severity string }
				Annotations struct{ Summary string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "alerts.yml")), &file); err != nil {
		t.Fatal(err)
	}
	guide := readFile(t, "alerts.md")

	ops := harness.FreeAddr(t)
	base, stop := harness.Serve(t, map[string]string{"INKFEED_DATA": t.TempDir()},
		"--addr", "127.0.0.1:0", "--ops-addr", ops)
	defer stop()
	harness.NewVisitor(t, base).Get("/")
	var served string
	harness.Eventually(t, "the server serves the metrics of its workers", func() bool {
		served = harness.NewVisitor(t, "http://"+ops).Get("/metrics").Document.Text()
		return strings.Contains(served, "\ninkfeed_workers_lag_seconds{")
	})

	names := 0
	metric := regexp.MustCompile(`\b((?:inkfeed|process|go)_\w+)(\{[^}]*\})?`)
	for _, r := range file.Groups[0].Rules {
		for _, m := range metric.FindAllStringSubmatch(r.Expr, -1) {
			names++
			if !regexp.MustCompile(`(?m)^` + m[1] + `[ {]`).MatchString(served) {
				t.Errorf("%s asks for %s, which a server does not serve", r.Alert, m[1])
			}
			for _, label := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(m[2], -1) {
				if label[1] != "job" && !regexp.MustCompile(`(?m)^`+m[1]+`\{.*\b`+label[1]+`="`).MatchString(served) {
					t.Errorf("%s asks for the label %s of %s, which it does not have", r.Alert, label[1], m[1])
				}
			}
		}
		severity := map[string]string{"page": "Page", "ticket": "Ticket"}[r.Labels.Severity]
		if !strings.Contains(guide, "\n## "+r.Alert+"\n\n"+severity+": ") || severity == "" ||
			r.Annotations.Summary == "" {
			t.Errorf("alerts.md has no section %s that begins with its severity %q", r.Alert, r.Labels.Severity)
		}
	}
	if sections := strings.Count(guide, "\n## Inkfeed"); names < 20 || sections != len(file.Groups[0].Rules) {
		t.Errorf("found %d names of metrics and %d sections for %d alerts", names, sections, len(file.Groups[0].Rules))
	}
}

// TestSettingsForServicesExist looks up each variable of the environment files and units in the list of all settings.
func TestSettingsForServicesExist(t *testing.T) {
	t.Parallel()
	settings, err := os.ReadFile("docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	variable := regexp.MustCompile(`(?m)^#?(?:Environment=)?([A-Z_]+)=`)
	for _, name := range []string{"server.env", "engine.env", "cosmos.env", "systemd/inkfeed-backup.service"} {
		for _, m := range variable.FindAllStringSubmatch(readFile(t, name), -1) {
			found++
			if m[1] != "GOMEMLIMIT" && !strings.Contains(string(settings), "| `"+m[1]+"` |") {
				t.Errorf("%s sets %s, which is no setting", name, m[1])
			}
		}
	}
	if found < 12 {
		t.Errorf("found only %d settings", found)
	}
}

// TestUnitsAreValidAndConfined has systemd check the units, and rate their sandbox, without starting them.
func TestUnitsAreValidAndConfined(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	units := t.TempDir()
	if err := os.CopyFS(units, os.DirFS(filepath.Join(operations, "systemd"))); err != nil {
		t.Fatal(err)
	}
	services := []string{"inkfeed-server@8080.service", "inkfeed-engine.service", "inkfeed-backup.service"}
	for _, name := range []string{"inkfeed-server@.service", "inkfeed-engine.service"} { // the program must exist
		text := strings.ReplaceAll(readFile(t, "systemd/"+name), "/usr/local/bin/inkfeed", program)
		if err := os.WriteFile(filepath.Join(units, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(analyze, args...)
		cmd.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+units+":")
		if out, err := cmd.CombinedOutput(); err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run(append([]string{"verify", "--man=no", "inkfeed-server@8080.socket", "inkfeed-engine.socket",
		"inkfeed-backup.timer"}, services...)...)
	for _, name := range services {
		run("security", "--offline=true", "--threshold=20", name) // 2.0 of 10
	}
}

// TestUnitsLeaveRoomForAProcessThatReadsUploads checks that a server can start itself as a process that reads foreign
// files, and that the kernel ends this process and not the server if both need too much memory.
func TestUnitsLeaveRoomForAProcessThatReadsUploads(t *testing.T) {
	t.Parallel()
	sandbox := readFile(t, "systemd/inkfeed-.service.d/hardening.conf")
	setting := func(text, name string) string {
		t.Helper()
		m := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s is not set", name)
			return ""
		}
		return m[1]
	}
	t.Run("within the memory of the smallest machine", func(t *testing.T) {
		const smallest, reader = 960, 300 // MiB that Linux leaves of 1 GB, and that a reader of 256 MB takes
		var share, heap int
		if _, err := fmt.Sscanf(setting(sandbox, "MemoryMax")+" "+setting(readFile(t, "server.env"), "GOMEMLIMIT"),
			"%d%% %dMiB", &share, &heap); err != nil {
			t.Fatal(err)
		}
		if room := smallest*share/100 - heap; room < reader || share > 90 {
			t.Errorf("MemoryMax=%d%% leaves %d MiB beside GOMEMLIMIT=%dMiB", share, room, heap)
		}
		if policy := setting(sandbox, "OOMPolicy"); policy != "continue" {
			t.Errorf("OOMPolicy=%s ends the server with the reader", policy)
		}
	})
	t.Run("with the system calls that it needs", func(t *testing.T) {
		analyze, err := exec.LookPath("systemd-analyze")
		if err != nil {
			t.Skip(err)
		}
		allowed := make(map[string]bool)
		var apply func(name string, allow bool)
		apply = func(name string, allow bool) {
			if !strings.HasPrefix(name, "@") {
				allowed[name] = allow
				return
			}
			members, err := exec.Command(analyze, "syscall-filter", name).Output()
			if err != nil {
				t.Fatal(name, err)
			}
			for _, line := range strings.Split(string(members), "\n")[1:] {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
					apply(line, allow)
				}
			}
		}
		for _, m := range regexp.MustCompile(`(?m)^SystemCallFilter=(~?)(.*)$`).FindAllStringSubmatch(sandbox, -1) {
			for _, name := range strings.Fields(m[2]) {
				apply(name, m[1] == "")
			}
		}
		for _, call := range []string{"clone", "vfork", "execve", "pipe2", "dup3", "setpgid", "kill", "wait4", "waitid",
			"pidfd_open", "pidfd_send_signal", // to start and to end a process
			"setpriority", "prlimit64", "setrlimit", // its own priority and limits
			"openat", "write", "ftruncate"} { // /proc/self/oom_score_adj and temporary files
			if !allowed[call] {
				t.Errorf("%s is not allowed", call)
			}
		}
	})
	t.Run("and with its temporary files on a disk", func(t *testing.T) {
		if dir := setting(sandbox, "Environment=TMPDIR"); dir != "/var/tmp" || setting(sandbox, "PrivateTmp") != "yes" {
			t.Errorf("temporary files are in %s", dir)
		}
	})
}
