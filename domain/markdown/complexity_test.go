package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain/markdown"
)

func TestTooComplexTextIsShownAsTyped(t *testing.T) {
	m := markdown.New()
	for name, source := range map[string]string{
		"quotes without end":                strings.Repeat(">", 600) + " hello world",
		"spaced quotes without end":         strings.Repeat("> ", 600) + "hello world",
		"lists without end":                 strings.Repeat("- ", 600) + "hello world",
		"links opened without end":          "hello world " + strings.Repeat("[a](", 5000),
		"images opened without end":         "hello world " + strings.Repeat("![a](", 5000),
		"titles opened without end":         "hello world " + strings.Repeat("[a](<b", 5000),
		"emphasis opened without end":       "hello world " + strings.Repeat("*a_ ", 5000),
		"text that only looks like code":    "``` a`b\nhello world " + strings.Repeat("*a_ ", 5000),
		"text after closed code":            "```\na\n```\nhello world " + strings.Repeat("[a](", 5000),
		"emphasis opened in many lines":     "hello world\n" + strings.Repeat("*a_\n", 5000),
		"emphasis opened in numbered lines": "hello world\n" + strings.Repeat("2. *a_\n", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			if html := m.HTML(source); strings.Count(html, "<") > 20_000 || !strings.Contains(html, "hello world") ||
				strings.Contains(html, "<blockquote") || strings.Contains(html, "<em>") {
				t.Errorf("the HTML is %.200s", html)
			}
			if text := m.Text(source, 2000); !strings.Contains(text, "hello world") {
				t.Errorf("the summary is %.100q", text)
			}
		})
	}
	for name, source := range map[string]string{
		"a long list of links":     strings.Repeat("- [*a* link](https://example.org/_x_) and **more**\n", 1500),
		"a long table":             "|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", 3000),
		"many emphasised passages": strings.Repeat("An *emphasised* and a **strong** word.\n\n", 2000),
		"quotes in quotes":         strings.Repeat("> ", 20) + "text",
		"a long program": "```go\n" + strings.Repeat(strings.Repeat(" ", 40)+"x_y := a[i] * b_c[i]\n", 1500) +
			"```\n",
		"a program with fences": "~~~~\n```\n" + strings.Repeat("x_y := a[i] * b_c[i]\n", 1500) + "~~~~\n",
	} {
		t.Run(name+" is Markdown", func(t *testing.T) {
			if html := m.HTML(source); !strings.Contains(html, "<em>") && !strings.Contains(html, "<table ") &&
				!strings.Contains(html, "<blockquote ") && !strings.Contains(html, "<pre ") {
				t.Errorf("the HTML is %.200s", html)
			}
		})
	}
	t.Run("a list nested by indentation has a summary", func(t *testing.T) {
		var b strings.Builder
		for i := range 150 {
			b.WriteString(strings.Repeat(" ", 2*i) + "- hello\n")
		}
		if text := m.Text(b.String(), 100); !strings.Contains(text, "hello") {
			t.Errorf("the summary is %q", text)
		}
	})
}

// The parser may read lines as text that look like a fenced code block.
func TestNoFenceHidesComplexity(t *testing.T) {
	for _, evil := range []string{strings.Repeat("[", 90_000), strings.Repeat("*a_", 30_000),
		strings.Repeat(">", 90_000)} {
		for _, fence := range []string{"```\n    ```\n```\n", "- ```\n  ```\n\n", "<pre>\n```\n</pre>\n", "```\n"} {
			if !markdown.TooComplex(fence + evil) {
				t.Errorf("after %q, %.3q is accepted", fence, evil)
			}
		}
	}
	code := "```\n" + strings.Repeat("a[i] = b[j] * c_d // **\n", 900) + "\n```\n"
	if markdown.TooComplex(code) {
		t.Error("an ordinary program is rejected as too complex")
	}
}
