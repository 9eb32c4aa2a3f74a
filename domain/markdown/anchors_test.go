package markdown_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

var idOf = regexp.MustCompile(` id="([^"]*)"`)

// idsOf returns the ids of a rendered text, in order.
func idsOf(html string) (ids []string) {
	for _, m := range idOf.FindAllStringSubmatch(html, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

func TestHeadingHasTheSlugsOfOtherGenerators(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		"# Getting started":         "getting-started h-getting-started",
		"# A & B":                   "a--b h-a-b a-b",
		"# What's new in `v1.2.3`?": "whats-new-in-v123 h-whats-new-in-v1-2-3 what-s-new-in-v1-2-3",
		"# Über uns":                "über-uns h-über-uns uber-uns",
		"# 吾輩は猫である":                 "吾輩は猫である h-吾輩は猫である wu-bei-hamao-dearu",
		"# 🎉 Party":                 "-party h-party party",
		"# ❤️ Love":                 "-love h-love love",
		"# `__init__`":              "__init__ h-init init",
		"# 1. First steps":          "1-first-steps h-1-first-steps",
		"# What's new?\n\n# What's new?": "whats-new h-whats-new what-s-new whats-new-1 h-whats-new-2 " +
			"what-s-new-1",
		"# Привет, мир":                       "привет-мир h-привет-мир privet-mir",
		"# !":                                 "section h-section",
		"# a\n\n# a\n\n# a":                   "a h-a a-1 h-a-2 a-2 h-a-3",
		"# a\n\n# a-1\n\n# a":                 "a h-a a-1 h-a-1 a-2 h-a-2",
		"# Set it up {#setup}":                "setup h-set-it-up-setup set-it-up",
		"# Set it up {: #setup }":             "setup h-set-it-up-setup set-it-up",
		"Set *it* up {#setup}\n---":           "setup h-set-it-up-setup set-it-up",
		"# {#setup}":                          "setup h-setup",
		"# a {#x}\n\n# b {#x}":                "x h-a-x a x-1 h-b-x b",
		"# x\n\n# b {#x}":                     "x-1 h-x x h-b-x b",
		"# b {#My.Part:2}":                    "My.Part:2 h-b-my-part-2 b",
		"# a {#<b>} b":                        "a-b-b h-a-b-b",
		"# a {.c}":                            "a-c h-a-c",
		"# `a {#b}`":                          "a-b h-a-b",
		"# fn\n\n# fn\n\n# fn":                "h-fn fn h-fn-1 h-fn-2 h-fn-3",
		"# h-a\n\n# a":                        "h-a h-h-a a",
		"Text <a id=\"x\"></a>here":           "x",
		"<a name='x'></a>\n# x\n":             "x x-1 h-x",
		"<span id=x></span> <a id=\"x\"></a>": "x",
		"<a id=\"x\"/>here":                   "x",
	} {
		t.Run(source, func(t *testing.T) {
			html := m.HTML(source)
			if got := strings.Join(idsOf(html), " "); got != want || strings.Contains(html, "{#") &&
				!strings.Contains(source, "<b>") && !strings.Contains(source, "`") {
				t.Errorf("got %q, want %q: %s", got, want, html)
			}
		})
	}
	t.Run("a very long heading has an id of bounded length", func(t *testing.T) {
		for _, id := range idsOf(m.HTML("# " + strings.Repeat("吾輩", 5000) + "\n\n# " + strings.Repeat("吾輩", 5000))) {
			if len(id) > 400 {
				t.Errorf("the id has %d bytes", len(id))
			}
		}
	})
}

func TestLinkWithinATextLeadsToItsHeading(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		"[x](#getting-started)\n\n# Getting started":                           "#getting-started",
		"[x](#h-getting-started)\n\n# Getting started":                         "#h-getting-started",
		"[x](#Getting-Started)\n\n# Getting started":                           "#getting-started",
		"[x](#first-steps)\n\n# 1. First steps":                                "#1-first-steps",
		"[x](#user-content-a--b)\n\n# A & B":                                   "#a--b",
		"[x](#%C3%BCber-uns)\n\n# Über uns":                                    "#%C3%BCber-uns",
		"[x](#ueber)\n\n# Über uns":                                            "#ueber",
		"[x](#v1.2)\n\n# b {#v1.2}":                                            "#v1.2",
		"[x](#what-s-next)\n\n# What's next?":                                  "#what-s-next",
		"[x](#cafe-s)\n\n# Café’s":                                             "#cafe-s",
		"[x](#i-unsound-issues-crab)\n\n# I-Unsound 🦀\n\n# I-Unsound issues 🦀": "#i-unsound-issues-",
		"[x](#rocket-space-launch)\n\n# 🚀 Launch":                              "#-launch",
		"[x](#launch-of-it)\n\n# Launch":                                       "#launch-of-it",
		"[x][y]\n\n# A & B\n\n[y]: #A-b":                                       "#a--b",
		"[x](#here)\n\n<a id=\"here\"></a>Text":                                "#here",
		"[x](/posts/a/b#a-b)\n\n# A & B":                                       "/posts/a/b#a-b",
		"[x](#2)\n\n# a\n\n# 2":                                                "#2",
		"[x](#comments)\n\n# Comments":                                         "#comments",
		"[x](#fn-1)\n\n# fn 1\n\na[^1]\n\n[^1]: a footnote":                    "#h-fn-1",
	} {
		t.Run(source, func(t *testing.T) {
			if got := m.HTML(source); !strings.Contains(got, `<a href="`+want+`">x</a>`) {
				t.Errorf("want %q: %s", want, got)
			}
		})
	}
	t.Run("in a preview, whose ids differ from those of form fields", func(t *testing.T) {
		html := m.Preview("[x](#title)\n\n# Title\n\n# A & B\n\n<a id=\"content\"></a>").HTML
		if got := idsOf(html); !slices.Equal(got, []string{"h-title", "h-a--b", "h-a-b", "h-content"}) ||
			!strings.Contains(html,
				`href="#h-title"`) {
			t.Errorf("%q: %s", got, html)
		}
	})
	t.Run("from a feed", func(t *testing.T) {
		html, _ := m.FeedHTML("[x](#A-b)\n\n# A & B {#c}\n\n<a id=\"d\"></a>", "https://example.org/posts/a/b")
		if !strings.Contains(html, `href="https://example.org/posts/a/b#c"`) || strings.Contains(html, "id=") ||
			strings.Contains(html,
				"<div") {
			t.Error(html)
		}
	})
}

func TestFragmentFindsTheIDOfAHeading(t *testing.T) {
	find := markdown.New().Fragments("# A & B\n\n# 1. Setup {#go}\n\n<a name=\"old\"></a>Text\n")
	for fragment, want := range map[string]string{"a--b": "a--b", "a-b": "a-b", "A_B": "a--b", "setup": "go",
		"1-setup": "1-setup", "old": "old", "": "", "nowhere": ""} {
		if got, ok := find(fragment); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", fragment, got, ok, want)
		}
	}
}

func TestTextHasNoIDOfItsPage(t *testing.T) {
	m := markdown.New()
	id := domain.NewID()
	for _, source := range []string{"# Page-comments", "# a {#Page-comments}", "<a id=\"Page-comments\"></a>",
		"# comment " + id,
		"# a {#comment-" + id + "}", "# fn 1", "# a {#fnref-1-2}", "<span id=\"fn-1\"></span>"} {
		for _, got := range idsOf(m.HTML(source)) {
			if strings.HasPrefix(got, markdown.PageID) || strings.HasPrefix(got, "fn") || strings.HasPrefix(got,
				"comment-") {
				t.Errorf("%q has the id %q", source, got)
			}
		}
	}
}
