package structure

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// core lists the packages that a package outside of domain may import if it may import domain.
var core = []string{"domain", "domain/customcss", "domain/embed", "domain/markdown", "domain/markdown/mathml",
	"domain/locale",
	"domain/names", "domain/palette", "domain/plaintext", "domain/siteinfo", "domain/screening",
	"domain/subscription", "domain/subscription/contacts", "domain/throttle"}

// records lists the packages with what the storage records for others, which give no access to the storage.
var records = []string{"cosmos/costs", "cosmos/dependency", "cosmos/feeds", "cosmos/operations"}

// readers lists the packages that a reader of an export format may import.
var readers = append([]string{"domain/portable", "domain/portable/markup"}, core...)

// site lists the packages that each feature of web may import besides its own views. Features never import each other.
var site = slices.Concat([]string{"static", "views", "web/site", "web/site/..."}, records, core)

// storage lists the packages that each package of stores may import.
var storage = slices.Concat([]string{"cosmos/client", "cosmos/trust", "cosmos/identity", "cosmos/schema"}, records,
	core)

// allowedImports lists the packages of this module that each package may import, directly or through others;
// docs/architecture.md summarises it. "x/..." means x and all packages below it. Tests of a package may import more.
var allowedImports = map[string][]string{
	"domain": {"domain/customcss", "domain/embed", "domain/locale", "domain/names", "domain/palette",
		"domain/plaintext", "domain/siteinfo"},
	"domain/customcss": {"domain/locale", "domain/plaintext"},
	"domain/embed":     {"domain/plaintext"},
	"domain/names":     {"domain/locale", "domain/plaintext"},
	"domain/siteinfo":  {"domain/locale"},
	"domain/locale":    {},
	"domain/palette":   {},
	"domain/plaintext": {},
	"domain/subscription": {"domain", "domain/customcss", "domain/embed", "domain/locale", "domain/names",
		"domain/palette", "domain/plaintext", "domain/siteinfo"},
	"domain/subscription/contacts": {"domain", "domain/customcss", "domain/embed", "domain/locale", "domain/names",
		"domain/palette", "domain/plaintext", "domain/siteinfo", "domain/subscription"},
	"domain/throttle":        {},
	"domain/markdown/mathml": {},
	"domain/markdown": {"domain", "domain/customcss", "domain/embed", "domain/locale", "domain/markdown/mathml",
		"domain/names",
		"domain/palette", "domain/plaintext", "domain/siteinfo"},
	"domain/screening": {"domain", "domain/customcss", "domain/embed", "domain/markdown",
		"domain/markdown/mathml", "domain/locale",
		"domain/names", "domain/palette", "domain/plaintext", "domain/siteinfo"},
	"domain/picture": {"domain", "domain/customcss", "domain/embed", "domain/locale", "domain/names", "domain/palette",
		"domain/plaintext", "domain/siteinfo", "domain/throttle"},
	"domain/importing": append([]string{"domain/picture", "domain/portable", "domain/portable/frontmatter",
		"domain/portable/markup"}, core...),
	"domain/importing/jobs": append([]string{"domain/importing", "domain/picture",
		"domain/portable/..."}, core...),
	"domain/portable":             core,
	"domain/portable/frontmatter": append([]string{"domain/portable"}, core...),
	"domain/portable/markup":      append([]string{"domain/portable"}, core...),
	"domain/portable/templates":   append([]string{"domain/portable/frontmatter"}, readers...),
	"domain/portable/folder": append([]string{"domain/portable/frontmatter",
		"domain/portable/templates", "domain/portable/folder/..."}, readers...),
	"domain/portable/folder/literals":  {},
	"domain/portable/folder/permalink": append([]string{"domain/portable/frontmatter"}, readers...),
	"domain/portable/folder/notation":  append([]string{"domain/portable/frontmatter"}, readers...),
	"domain/portable/export":           append([]string{"domain/portable/frontmatter"}, readers...),
	"domain/portable/formats":          append([]string{"domain/portable/..."}, core...),
	"domain/portable/subprocess":       append([]string{"domain/portable/..."}, core...),
	"domain/portable/blogger":          readers,
	"domain/portable/ghost":            readers,
	"domain/portable/medium":           readers,
	"domain/portable/substack":         readers,
	"domain/portable/tumblr":           readers,
	"domain/portable/wordpress":        readers,
	"domain/portable/writefreely":      readers,
	"domain/sample": {"domain/customcss", "domain/embed", "domain", "domain/locale", "domain/names", "domain/palette",
		"domain/plaintext", "domain/siteinfo"},
	"static":         {},
	"views":          {"domain", "static"},
	"views/account":  {"domain", "static", "views"},
	"views/comments": {"domain", "static", "views"},
	"views/costs": {"domain", "cosmos/costs", "cosmos/dependency", "domain/plaintext", "static",
		"views"},
	"views/events":      {"domain", "static", "views"},
	"views/following":   {"domain", "static", "views"},
	"views/inspector":   {"domain", "cosmos/dependency", "cosmos/operations", "static", "views"},
	"views/mails":       core,
	"views/moderation":  {"domain", "static", "views"},
	"views/pages":       {"domain", "static", "views"},
	"views/reading":     {"domain", "static", "views", "views/events"},
	"views/settings":    {"domain", "static", "views"},
	"views/writing":     {"domain", "static", "views"},
	"views/subscribing": {"domain", "domain/subscription", "static", "views"},
	"views/mailings":    {"domain", "static", "views"},
	"web": append([]string{"cosmos/...",
		"domain/importing", "domain/picture", "domain/sample", "domain/portable/...", "views/...",
		"web/account", "web/comments",
		"web/costs", "web/credential", "web/exporting", "web/factor", "web/following", "web/inspector",
		"web/letters", "web/mail/bounce", "web/mailings", "web/moderation", "web/newsletter",
		"web/pagecache", "web/pages",
		"web/reading", "web/seal",
		"web/settings", "web/subscribing", "web/syndication", "web/uploads", "web/writing"}, site...),
	"web/pages": append([]string{"domain/importing", "domain/picture", "domain/portable/...", "views/pages",
		"web/exporting", "web/uploads"}, site...),
	"web/exporting": append([]string{"domain/portable/..."}, site...),
	"web/reading":   append([]string{"domain/picture", "views/events", "views/reading"}, site...),
	"web/comments":  append([]string{"views/comments"}, site...),
	"web/writing":   append([]string{"domain/picture", "views/writing", "web/uploads"}, site...),
	"web/account":   append([]string{"views/account", "web/credential", "web/factor", "web/seal"}, site...),
	"web/costs":     append([]string{"views/costs"}, site...),
	"web/settings": append([]string{"views/settings", "domain/picture", "domain/portable/...", "web/credential",
		"web/exporting", "web/factor", "web/seal", "web/uploads"}, site...),
	"web/subscribing": append([]string{"views/subscribing", "web/credential", "web/factor", "web/seal"}, site...),
	"web/mailings":    append([]string{"views/mailings"}, site...),
	"web/following":   append([]string{"views/following"}, site...),
	"web/inspector":   append([]string{"views/inspector"}, site...),
	"web/moderation": append([]string{"domain/picture", "domain/sample", "views/moderation",
		"web/credential", "web/factor", "web/seal", "web/uploads"}, site...),
	"web/syndication": append([]string{"domain/picture"}, site...),
	"web/pagecache":   site,
	"web/credential":  append([]string{"web/factor", "web/seal"}, site...),
	"web/uploads":     append([]string{"domain/picture"}, site...),
	"web/site":        site,
	"web/site/events": append([]string{"views/events"}, site...),
	"web/letters":     append([]string{"views/mails"}, core...),
	"web/newsletter": append([]string{"domain/subscription", "views/events", "views/mails", "web/letters"},
		site...),
	"web/site/botcheck":  core,
	"web/site/remote":    core,
	"web/site/ratelimit": append([]string{"web/site/remote"}, core...),
	"web/site/response":  {"static"},
	"web/site/tracing":   append([]string{"web/site/remote"}, core...),
	"web/site/session":   append([]string{"web/site/remote"}, core...),
	"web/factor":         {"domain"},
	"web/graceful":       {},
	"web/gctune":         {},
	"web/ops":            {},
	"web/telemetry":      {},
	"web/mail": append([]string{"domain/subscription", "web/mail/bounce", "web/seal", "workers/delivery",
		"workers/loop"}, core...),
	"web/mail/bounce": append([]string{"domain/subscription"}, core...),
	"web/seal":        {},
	"web/webtest":     {"..."},
	"cosmos": append([]string{"cosmos/changefeed", "cosmos/copies", "cosmos/deliveries", "cosmos/following",
		"cosmos/imports", "cosmos/metering", "cosmos/moderation", "cosmos/notifications", "cosmos/overviews",
		"cosmos/posts",
		"cosmos/subscriptions"}, storage...),
	"cosmos/dependency":             {},
	"cosmos/operations":             {"cosmos/dependency"},
	"cosmos/costs":                  {"cosmos/dependency", "domain/locale"},
	"cosmos/feeds":                  core,
	"cosmos/client":                 slices.Concat([]string{"cosmos/trust", "cosmos/identity"}, records, core),
	"cosmos/schema":                 append(core, "cosmos/feeds"),
	"cosmos/changefeed":             storage,
	"cosmos/metering":               storage,
	"cosmos/moderation":             storage,
	"cosmos/imports":                storage,
	"cosmos/notifications":          storage,
	"cosmos/deliveries":             storage,
	"cosmos/following":              storage,
	"cosmos/overviews":              storage,
	"cosmos/subscriptions":          storage,
	"cosmos/posts":                  append([]string{"cosmos/changefeed"}, storage...),
	"cosmos/article":                append([]string{"cosmos/changefeed", "cosmos/copies", "cosmos/posts"}, storage...),
	"cosmos/copies":                 append([]string{"cosmos/changefeed", "cosmos/posts"}, storage...),
	"cosmos/verify":                 storage,
	"cosmos/trust":                  {},
	"cosmos/identity":               {},
	"cosmos/embedded":               {},
	"cosmos/cosmostest":             {"cosmos", "cosmos/...", "domain"},
	"cosmos/cosmostest/accounts":    {"cosmos", "cosmos/...", "domain"},
	"cosmos/cosmostest/lists":       {"cosmos", "cosmos/...", "domain"},
	"cosmos/cosmostest/sending":     {"cosmos", "cosmos/...", "domain"},
	"cosmos/cosmostest/following":   {"cosmos", "cosmos/...", "domain"},
	"cosmos/cosmostest/subscribing": {"cosmos", "cosmos/...", "domain"},
	"cosmos/cosmostest/fixture":     {"cosmos", "cosmos/...", "domain"},
	"cosmos/cosmostest/inmemory":    {},
	"cosmos/media":                  {"cosmos/trust", "domain"},
	"cosmos/media/mediatest":        {"domain"},
	"domain/picture/picturetest":    {},
	"web/cli/config": {"cosmos", "cosmos/...", "domain", "domain/importing", "domain/picture",
		"domain/sample", "domain/portable/...", "static", "views/...", "web", "web/...", "web/graceful", "web/mail",
		"workers/changefeed", "workers/delivery", "workers/loop"},

	"workers": {"cosmos/dependency", "cosmos/feeds", "domain", "workers/changefeed",
		"workers/loop"},
	"workers/changefeed":          {"cosmos/dependency", "cosmos/feeds", "domain", "workers/loop"},
	"workers/changefeed/feedtest": {"cosmos/dependency", "cosmos/feeds", "domain"},
	"workers/loop":                {},
	"workers/progress":            {},
	"workers/projection": {"cosmos", "cosmos/...", "domain", "workers/changefeed", "workers/loop",
		"workers/progress"},
	"workers/embeds":   {"domain", "domain/picture"},
	"workers/schedule": {"domain", "workers/loop"},
	"workers/delivery": {"domain", "workers/loop"},
	"workers/fanout":   {"domain", "workers/delivery", "workers/loop"},
	"workers/mailing": {"domain", "domain/subscription", "domain/subscription/contacts", "workers/delivery",
		"workers/loop"},
	"workers/search": {"cosmos/dependency", "cosmos/feeds", "domain", "workers/changefeed", "workers/loop",
		"workers/tailer"},
	"workers/tailer": {"cosmos/dependency", "cosmos/feeds", "domain", "workers/changefeed", "workers/loop"},

	"web/cli":                        {"..."},
	"web/cli/app":                    {"..."},
	"web/cli/systemtest/azure":       {"..."},
	"web/cli/systemtest/commands":    {"..."},
	"web/cli/systemtest/deliveries":  {"..."},
	"web/cli/systemtest/harness":     {"..."},
	"web/cli/systemtest/imports":     {"..."},
	"web/cli/systemtest/model":       {"..."},
	"web/cli/systemtest/performance": {"..."},
	"web/cli/systemtest/stories":     {"..."},
	"web/cli/systemtest/storm":       {"..."},
	"web/cli/systemtest/structure":   {"..."},
}

// testPackages lists the packages that only tests import.
var testPackages = []string{"cosmos/cosmostest", "cosmos/media/mediatest", "domain/picture/picturetest",
	"web/cli/systemtest/harness", "web/webtest",
	"workers/changefeed/feedtest"}

// mayImport reports whether a list of the table contains a package.
func mayImport(allowed []string, pkg string) bool {
	return slices.ContainsFunc(allowed, func(pattern string) bool {
		above, below := strings.CutSuffix(pattern, "...")
		return pkg == strings.TrimSuffix(above, "/") || below && strings.HasPrefix(pkg, above)
	})
}

func TestImportsAreAllowed(t *testing.T) {
	for _, line := range goLines(t, "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...") {
		pkg, deps, _ := strings.Cut(line, " ")
		entry, ok := entryOf(pkg)
		if !ok {
			continue
		}
		allowed, known := allowedImports[entry]
		if !known {
			t.Errorf("%s is not in the table", pkg)
			continue
		}
		if slices.Contains(allowed, "domain") && !strings.HasPrefix(entry, "domain") {
			allowed = slices.Concat(allowed, core)
		}
		for _, dep := range strings.Fields(deps) {
			other, ok := entryOf(dep)
			if ok && other != entry && !mayImport(allowed, other) {
				t.Errorf("%s must not import %s", entry, other)
			}
		}
	}
}

func TestTheProgramContainsNoCodeOfTests(t *testing.T) {
	for _, dep := range goLines(t, "-deps", ".") {
		if entry, _ := entryOf(dep); dep == "testing" || slices.Contains(testPackages, entry) {
			t.Errorf("the program contains %s", dep)
		}
	}
}

func TestTheTopLevelHasOneGoFile(t *testing.T) {
	tests := goList(t, "-f", `{{join .TestGoFiles "\n"}} {{join .XTestGoFiles "\n"}}`, ".")
	if got := append(goFiles(t, "."), tests...); !slices.Equal(got, []string{"main.go"}) {
		t.Errorf("the top level has %v, want only main.go", got)
	}
}

// TestTheTopLevelHasNoNewFolder checks that each package is in one of the known folders, by whose names readers find
// their way.
func TestTheTopLevelHasNoNewFolder(t *testing.T) {
	fixed := []string{"cosmos", "domain", "static", "views", "web", "workers"}
	for entry := range allowedImports {
		if top, _, _ := strings.Cut(entry, "/"); !slices.Contains(fixed, top) {
			t.Errorf("%s is at the top level, which may only have %v", entry, fixed)
		}
	}
}

// entryOf returns the entry of the table that a package of this module belongs to. Internal packages belong to the
// package above them. The package main has no entry.
func entryOf(pkg string) (string, bool) {
	entry, ours := strings.CutPrefix(pkg, "inkfeed/")
	entry, _, _ = strings.Cut(entry, "/internal/")
	return entry, ours
}

// goFiles returns the names of a package's Go files, without tests.
func goFiles(t *testing.T, pkg string) []string {
	t.Helper()
	return goList(t, "-f", `{{join .GoFiles "\n"}}`, pkg)
}

// goList returns the words that go list prints.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	return strings.Fields(strings.Join(goLines(t, args...), " "))
}

// goLines returns the lines that go list prints.
func goLines(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
