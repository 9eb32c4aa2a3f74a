package web_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"inkfeed/web"
	"inkfeed/web/webtest"
)

var updateRoutes = flag.Bool("update", false, "write docs/routes.md")

const routesHead = `# Routes

All routes of the site, sorted by address. The table names for each route:

- the handler and the file that defines it and registers the route;
- the templ components that this file renders. A file in ` + "`web/reading`" + ` uses the package ` +
	"`views/reading`" + `, and so on
  for the other features;
- the users who may open the page or submit the form. "anonymous" means everybody.

Static pages are served at addresses without a route, by the middleware in ` + "`web/pages/page.go`" + `.

This page is generated. ` + "`go test ./web -run TestTheTableOfRoutes -update`" + ` rewrites it.

| method | path | handler | file | views | who may |
| --- | --- | --- | --- | --- | --- |
`

var (
	handlerName  = regexp.MustCompile(`\bh\.([a-z]\w*)`)
	receiverName = regexp.MustCompile(`func \(\w* ?(\w+)\) register`)
	viewName     = regexp.MustCompile(`\bview\.([A-Z]\w*)\(|\b(views\.[A-Z]\w*)\(`)
	// notViews matches functions of views that render nothing.
	notViews = regexp.MustCompile(`Path$|Anchor$|Title$`)
)

func TestTheTableOfRoutes(t *testing.T) {
	routes, err := web.AddedRoutes(webtest.Config(webtest.NewDatabase(t), io.Discard, webtest.KeyOne))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range routes {
		if r.Method != http.MethodHead { // a route for GET also answers HEAD
			rows = append(rows, routeRow(t, r))
		}
	}
	byPath := func(row string) string { return strings.Join(strings.Split(row, " | ")[1:2], "") + row }
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(byPath(a), byPath(b)) })
	want := routesHead + strings.Join(rows, "")
	const document = "../docs/routes.md"
	if *updateRoutes {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/routes.md is out of date: run go test ./web -run TestTheTableOfRoutes -update")
	}
}

// routeRow returns the row of a route in the table.
func routeRow(t *testing.T, r web.AddedRoute) string {
	t.Helper()
	source, err := os.ReadFile("../" + r.File)
	if err != nil {
		t.Fatal(err)
	}
	receiver := ""
	if m := receiverName.FindSubmatch(source); m != nil {
		receiver = string(m[1]) + "."
	}
	// The first name is that of a wrapper. A function literal calls its method in one of the next lines.
	lines := strings.Split(string(source), "\n")
	handler := ""
	for _, line := range lines[r.Line-1 : min(r.Line+3, len(lines))] {
		for _, m := range handlerName.FindAllStringSubmatch(line, -1) {
			handler = m[1]
			if handler == "change" { // its arguments are functions
				break
			}
		}
		if handler != "" {
			break
		}
	}
	var views []string
	for _, m := range viewName.FindAllSubmatch(source, -1) {
		if name := string(m[1]) + string(m[2]); !notViews.MatchString(name) && !slices.Contains(views, name) {
			views = append(views, name)
		}
	}
	slices.Sort(views)
	return fmt.Sprintf("| %s | `%s` | %s | %s | %s | %s |\n", r.Method, r.Path,
		strings.TrimSuffix(receiver+handler, "."), strings.TrimPrefix(path.Clean(r.File), "./"),
		strings.Join(views, ", "), mayUse(r))
}

// mayUse lists the actors of the table of decisions whose requests are carried out.
func mayUse(r web.AddedRoute) string {
	row := decisions[r.Method+" "+r.Path]
	carriedOut := func(actor string) bool { return row[actor] == "ok" || row[actor] == "idle" || row[actor] == "again" }
	may := slices.DeleteFunc(slices.Clone(actors), func(actor string) bool { return !carriedOut(actor) })
	switch {
	case slices.Contains(may, "anonymous"), len(may) == 0 && row["anonymous"] != "login":
		return "anonymous"
	case len(may) == 0: // the table's test has no resource at this address
		return "signed-in users"
	case slices.Equal(may, []string{"owner", "demoted", "other", "reader", "moderator", "administrator"}):
		return "signed-in users"
	}
	return strings.Join(may, ", ")
}
