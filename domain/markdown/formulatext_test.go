package markdown_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"inkfeed/domain/markdown"
)

var set = regexp.MustCompile(`(?s)<math.*?<annotation encoding="application/x-tex">(.*?)</annotation>.*?</math>`)

// withTeX replaces the formulas of a rendered text by their TeX.
func withTeX(rendered string) string { return set.ReplaceAllString(rendered, "$1") }

func TestFormulasOfPagesAreMathML(t *testing.T) {
	m := markdown.New()
	const source = "So $x^2$ costs $5 to $6.\n\n$$\n\\frac12\n$$\n"
	square := "<span class=\"math\" dir=\"ltr\"><math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>" +
		`<annotation encoding="application/x-tex">$x^2$</annotation></semantics></math></span> costs $5 to $6.`
	feed, _ := m.FeedHTML(source, "https://example.org")
	for where, rendered := range map[string]string{"a post": m.HTML(source), "a comment": m.CommentHTML(source),
		"a preview": m.Preview(source).HTML, "a user's self-description": m.BioHTML(source)} {
		if !strings.Contains(rendered, square) || !strings.Contains(rendered, `tabindex="0"><math display="block">`) {
			t.Errorf("%s has %s", where, rendered)
		}
	}
	if !strings.Contains(feed, "$x^2$") || !strings.Contains(feed, "$$\n\\frac12\n$$") {
		t.Errorf("a feed has %s", feed)
	}
	if got, want := m.PlainText(source), "So $x^2$ costs $5 to $6.\n$$\n\\frac12\n$$"; got != want {
		t.Errorf("the plain text is %q, want %q", got, want)
	}
	if got, want := m.Post(source).Excerpt(200), m.Text(source, 200); got != want || got != "So x² costs $5 to $6." {
		t.Errorf("the excerpt is %q, the summary %q", got, want)
	}
}

func TestFormulasThatCannotBeSetStayAsTyped(t *testing.T) {
	m := markdown.New()
	r := m.Post("Then $\\unknown x$ and $y$.\n\n$$\n\\cancel{x}\n$$\n\n$\\text{<b onclick=\"a\">}$")
	for _, typed := range []string{`>$\unknown x$<`, ">$$\n\\cancel{x}\n$$<", "\u00a0onclick=&#34;a&#34;&gt;</mtext>"} {
		if !strings.Contains(r.HTML, typed) {
			t.Errorf("%q is missing in %s", typed, r.HTML)
		}
	}
	if want := []string{`$\unknown x$`, "$$\n\\cancel{x}\n$$"}; !slices.Equal(r.Unset, want) {
		t.Errorf("the formulas %q are reported, want %q", r.Unset, want)
	}
	synctest.Test(t, func(t *testing.T) { // in which the time for formulas does not pass
		long := m.Post(strings.Repeat("$x + y$ ", 5000))
		if n := strings.Count(long.HTML, "<math>"); n != 2000 || n+len(long.Unset) != 5000 {
			t.Errorf("%d formulas of a long text are set, %d are reported", n, len(long.Unset))
		}
		if n := strings.Count(m.CommentHTML(strings.Repeat("$x + y$ ", 1000)), "<math>"); n != 200 {
			t.Errorf("%d formulas of a long comment are set", n)
		}
	})
}

func TestSummariesHaveNoMarksOfFormulas(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		`The radius $r$ and the area $\pi r^2$.`:   "The radius r and the area πr².",
		`Then $x_1 \le y$ and $a \cdot b$.`:        "Then x₁ ≤ y and a · b.",
		`Here $\frac{a}{b}$ is, or $x^{10}$.`:      "Here … is, or ….",
		"Then\n\n$$\ne^{i\\pi} + 1 = 0\n$$\n\nso.": "Then so.",
		"$$\na < b\n$$":        "a < b",
		"$$\n\\int_0^1 x\n$$":  "…",
		"It costs 5 $ or 6 $.": "It costs 5 $ or 6 $.",
		"Děti a $čas$ běží.":   "Děti a čas běží.",
	} {
		if got := m.Text(source, 200); got != want {
			t.Errorf("the summary of %q is %q, want %q", source, got, want)
		}
	}
}
