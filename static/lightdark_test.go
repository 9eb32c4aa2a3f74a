package static_test

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A browser without light-dark() takes no value of a custom property that contains it, not even that of an earlier
// rule.
func TestBrowsersWithoutLightDarkShowTheLightColours(t *testing.T) {
	const file = "89-without-light-dark.css"
	sheets, err := os.ReadDir("styles")
	if err != nil {
		t.Fatal(err)
	}
	want, fallback := map[string]string{}, ""
	for _, sheet := range sheets {
		css, err := os.ReadFile("styles/" + sheet.Name())
		if err != nil {
			t.Fatal(err)
		}
		if sheet.Name() == file {
			fallback = string(css)
			continue
		}
		for name, value := range declared(string(css)) {
			if !strings.Contains(value, "light-dark(") {
				continue
			}
			if sheet.Name() > file {
				t.Errorf("%s: %s comes after %s, which therefore has no effect on it", sheet.Name(), name, file)
			}
			want[name] = lightValue(t, value)
		}
	}
	if len(want) == 0 {
		t.Fatal("no colour of two schemes was found")
	}
	if got := declared(fallback); !maps.Equal(got, want) {
		t.Errorf("%s has the colours\n%v\ninstead of\n%v", file, got, want)
	}
}

// declared returns the custom properties that a style sheet declares, after their selectors for those that are not the
// root's.
func declared(css string) map[string]string {
	found := map[string]string{}
	css = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(css, "")
	for _, rule := range regexp.MustCompile(`(?m)^ *([^\s{}@][^{}]*) \{([^{}]*)\}`).FindAllStringSubmatch(css, -1) {
		for _, d := range regexp.MustCompile(`(--[\w-]+):\s*([^;]+);`).FindAllStringSubmatch(rule[2], -1) {
			found[strings.TrimSpace(strings.TrimPrefix(rule[1], ":root")+" "+d[1])] = d[2]
		}
	}
	return found
}

// lightValue puts the first argument of light-dark() in its place.
func lightValue(t *testing.T, value string) string {
	before, arguments, _ := strings.Cut(value, "light-dark(")
	depth, comma := 0, -1
	for i, c := range arguments {
		switch {
		case c == '(':
			depth++
		case c == ',' && depth == 0 && comma < 0:
			comma = i
		case c == ')' && depth == 0 && comma >= 0:
			return before + arguments[:comma] + arguments[i+1:]
		case c == ')':
			depth--
		}
	}
	t.Fatalf("no arguments of light-dark() in %s", value)
	return ""
}
