package structure

import (
	"reflect"
	"testing"
)

func TestCataloguesFollowTheTextsOfTheCode(t *testing.T) {
	users := map[string]any{"one": "{n} uživatel", "few": "{n} uživatelé", "other": "{n} uživatelů"}
	for name, c := range map[string]struct {
		former   catalogue
		texts    []string
		want     catalogue
		toReview []string
		report   []string
	}{
		"a renamed text keeps its translation, which is to be reviewed": {
			catalogue{"Like|button": "Líbí"}, []string{"Like this|button"},
			catalogue{"Like this|button": "Líbí"}, []string{"Like this|button"},
			[]string{`cs: "Like this|button" has the translation of "Like|button": review it`}},
		"a renamed text keeps its plural forms": {
			catalogue{"{n} new users": users}, []string{"{n} users"},
			catalogue{"{n} users": users}, []string{"{n} users"},
			[]string{`cs: "{n} users" has the translation of "{n} new users": review it`}},
		"other slots or tags need another translation": {
			catalogue{"By {name}": "Od {name}", "Read it": "Číst"}, []string{"By {author}", "Read <link>it</link>"},
			catalogue{}, nil,
			[]string{`cs: "By {author}" has no translation`, `cs: "Read <link>it</link>" has no translation`}},
		"an unrelated new text needs a translation": {
			catalogue{"Log in": "Přihlásit"}, []string{"Delete the post"},
			catalogue{}, nil, []string{`cs: "Delete the post" has no translation`}},
		"a removed text is removed, and need not be reviewed": {
			catalogue{"Log in": "Přihlásit", "reviewed before": "b", "to review": "a"}, []string{"to review"},
			catalogue{"to review": "a"}, []string{"to review"}, nil},
		"the most similar texts belong together": {
			catalogue{"Delete this post": "a", "Delete the post": "b"},
			[]string{"Delete the post now", "Delete this post?"},
			catalogue{"Delete this post?": "a", "Delete the post now": "b"},
			[]string{"Delete the post now", "Delete this post?"},
			[]string{`cs: "Delete the post now" has the translation of "Delete the post": review it`,
				`cs: "Delete this post?" has the translation of "Delete this post": review it`}},
	} {
		t.Run(name, func(t *testing.T) {
			all := catalogues{map[string]catalogue{"cs": c.former}, map[string][]string{"cs": {"to review"}}}
			if c.former["to review"] == nil {
				delete(all.review, "cs")
			}
			texts := make(map[string]string)
			for _, text := range c.texts {
				texts[text] = "file.go:1"
			}
			if got := all.update(texts); !reflect.DeepEqual(got, c.report) {
				t.Errorf("it reports %q, want %q", got, c.report)
			}
			for range 2 { // a second update changes nothing
				if !reflect.DeepEqual(all.byCode["cs"], c.want) || !reflect.DeepEqual(all.review["cs"], c.toReview) {
					t.Errorf("the catalogue is %v with %q to review", all.byCode["cs"], all.review["cs"])
				}
				all.update(texts)
			}
		})
	}
}

func TestTheEnglishCatalogueKeepsPluralForms(t *testing.T) {
	kept := map[string]any{"one": "{n} user", "other": "{n} users"}
	all := catalogues{map[string]catalogue{"en": {"{n} users": kept, "Gone": "Gone"}}, map[string][]string{}}
	all.update(map[string]string{"{n} users": "", "{n} posts": "", "Log in": ""})
	want := catalogue{"{n} users": kept, "{n} posts": map[string]any{"one": "{n} posts", "other": "{n} posts"},
		"Log in": "Log in"}
	if got := all.byCode["en"]; !reflect.DeepEqual(got, want) || len(all.review) > 0 {
		t.Errorf("got %v with %v to review", got, all.review)
	}
}

func TestWrongTranslationsAreRefused(t *testing.T) {
	forms := func(one, other string) map[string]any { return map[string]any{"one": one, "other": other} }
	for _, c := range []struct {
		code, text  string
		translation any
		want        []string
	}{
		{"en", "{n} users", forms("{n} users", "{n} users"), []string{`says "1 users": change its plural form "one"`}},
		{"en", "{n} users", forms("{n} user", "{n} users"), nil},
		{"en", "{n} users", forms("one user", "{n} users"), nil},
		{"en", "{n} <b>users</b>", forms("{n} <b>users</b>", "{n} <b>users</b>"),
			[]string{`says "1 users": change its plural form "one"`}},
		{"en", "users: {n}, all", forms("users: {n}, all", "users: {n}, all"), nil},
		{"en", "{n} min read", forms("{n} min read", "{n} min read"), nil},
		{"fr", "{n} users", map[string]any{"one": "{n} gens", "many": "{n} de gens", "other": "{n} gens"},
			[]string{`says "1 gens": change its plural form "one"`}},
		{"tr", "{n} users", forms("{n} kullanıcı", "{n} kullanıcı"), nil},
		{"ja", "{n} users", map[string]any{"other": "{n} 人"}, nil},
		{"ja", "{n} users", forms("{n} 人", "{n} 人"), nil}, // has no form for one
		{"cs", "{n} users", forms("{n} uživatel", "{n} uživatelů"), []string{`lacks the plural form "few"`}},
		{"cs", "{n} users", "{n}", []string{"has the wrong form: texts with {n}, and only these, have plural forms"}},
		{"cs", "By {name}", "Od", []string{`has [{name}], but its translation "Od" has []`}},
		{"cs", "Log in", " ", []string{"has an empty translation"}},
		{"en", "Saved|draft", "Saved|draft", nil},
		{"cs", "Saved|draft", "Uloženo|draft", []string{`has a context in its translation "Uloženo|draft"`}},
		{"en", "| a | b |", "| a | b |", []string{barIsCut}},
		{"fr", "a | b", "a | b", []string{barIsCut}},
		{"en", "a|b|c", "a|b|c", []string{barIsCut}},
	} {
		if got := problemsOf(c.code, c.text, c.translation); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v: got %q, want %q", c.code, c.translation, got, c.want)
		}
	}
}
