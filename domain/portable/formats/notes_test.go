package formats_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

func TestObsidianNotesAreRead(t *testing.T) {
	b := read(t, map[string]string{
		".obsidian/app.json":       "{}",
		".obsidian/templates.json": `{"folder": "Meta/Forms"}`,
		".trash/old.md":            "gone",
		"Templates/post.md":        "a form",
		"Meta/Forms/book.md":       "a form",
		"board.canvas":             "{}",
		"Garden/Growing iOS Beans.md": "---\ntags: [Garden, \"[[Beans]]\"]\naliases: [Runner beans]\ncreated: " +
			"2020-02-03\ncover: \"[[bean.png]]\"\n---\n" +
			"#vegetables/legumes #outdoors\n\nSow %%not yet%% in ==May==, see #may. A note [[missing]], " +
			"[[Secret]].\n\n![[bean.png|300]] ![[bean.png|A bean|300x200]] ![[gone.png]] ![[plan.pdf]]\n\n" +
			"> [!WARNING]- Mind *this*\n> [[garden/soil|Soil]] is [[Soil#How to: dig]]. ^abc\n\nIt is $a == b$ and " +
			"$$c_1 ==d== %e$$ or `==x== [[Soil]]`.\n\n" +
			"[web](https://ada.example/#Part%20One) [soil](Soil.md#How%20to%3A%20dig) [[1]](https://b.example) " +
			"[[#End]] #42 C#\n\n## End\n\n^block-id\n",
		"Garden/Soil.md": "# All about soil\n\n| a | b |\n|---|---|\n| [[Growing iOS Beans\\|beans]] | " +
			"[[runner BEANS]] |\n\n![[Growing iOS Beans]]\n\n[[Growing iOS Beans#^block-id]] [[GROWING IOS " +
			"BEANS.md]]\n",
		"Other/Soil.md": "# One\n\nx\n\n# Two\n\n[[Soil]] [[Garden/Soil]] [[../Garden/Soil]] " +
			"[[/Garden/Soil.md]]\n",
		"Garden/bean.png":          "png",
		"files/plan.pdf":           "pdf",
		"Secret.md":                "---\npublish: false\n---\n[[Other secret]]\n",
		"Other secret.md":          "---\nprivate: true\n---\nx\n",
		"Unsure.md":                "---\nvisibility: neighbours\n---\nx\n",
		"Half.md":                  "---\nstatus: halfway\n---\nx\n",
		"2021-05-06 Dated note.md": "x\n",
		"2021-05-07.md":            "# 2021-05-07\n\nPrivate thoughts\n",
		"Query.md":                 "```dataview\nTABLE file.name\n```\n",
	})
	if b.Format != "Obsidian" {
		t.Fatalf("format %s", b.Format)
	}
	beans := find(t, b, "Growing iOS Beans")
	t.Run("without templates", func(t *testing.T) {
		if len(b.Posts) != 10 {
			for _, p := range b.Posts {
				t.Log(p.Where)
			}
			t.Errorf("%d posts", len(b.Posts))
		}
		for _, want := range []string{"left out: templates (2, such as Meta/Forms/book.md, Templates/post.md)",
			"left out: canvas files (1, such as board.canvas)"} {
			if len(problems(b, want)) != 1 {
				t.Errorf("%q is not reported: %v", want, b.Problems)
			}
		}
	})
	t.Run("with titles from headings or file names", func(t *testing.T) {
		if p := find(t, b, "All about soil"); strings.Contains(p.Content, "All about") {
			t.Errorf("content %q", p.Content)
		}
		if p := find(t, b, "Other/Soil.md"); p.Title != "Soil" || !strings.HasPrefix(p.Content, "# One") {
			t.Errorf("title %q, content %q", p.Title, p.Content)
		}
		if p := find(t, b, "Dated note"); p.Created.Format(time.DateOnly) != "2021-05-06" || p.Slug != "dated-note" {
			t.Errorf("created %s, slug %s", p.Created, p.Slug)
		}
	})
	t.Run("with tags, dates and the cover", func(t *testing.T) {
		if got := strings.Join(beans.Tags, "|"); got != "Garden|Beans|vegetables/legumes|outdoors|may" {
			t.Errorf("tags %s", got)
		}
		if beans.Created.Format(time.DateOnly) != "2020-02-03" ||
			strings.Join(beans.Paths, " ") != "/Garden/Growing+iOS+Beans" {
			t.Errorf("created %s, paths %s", beans.Created, beans.Paths)
		}
	})
	t.Run("with Obsidian's syntax translated", func(t *testing.T) {
		want := "Sow  in **May**, see #may. A note missing, Secret.\n\n" +
			"![](/Garden/bean.png) ![A bean](/Garden/bean.png) gone.png plan.pdf\n\n" +
			"> **Mind *this***\n>\n> [Soil](/Garden/Soil.md) is [Soil > How to: dig](/Garden/Soil.md#how-to-dig).\n\n" +
			"It is $a == b$ and $$c_1 ==d== %e$$ or `==x== [[Soil]]`.\n\n" +
			"[web](https://ada.example/#Part%20One) [soil](Soil.md#how-to-dig) [[1]](https://b.example) [End](#end) " +
			"#42 C#\n\n## End"
		if got := strings.TrimSpace(beans.Content); got != want {
			t.Errorf("content\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("with links by name resolved as in Obsidian", func(t *testing.T) {
		const to = "(/Garden/Growing%20iOS%20Beans.md)"
		soil := find(t, b, "All about soil").Content
		for _, want := range []string{"| [beans]" + to + " | [runner BEANS]" + to + " |", "\n[Growing iOS Beans]" + to +
			"\n", "[Growing iOS Beans]" + to + " [GROWING IOS BEANS]" + to} {
			if !strings.Contains(soil, want) {
				t.Errorf("%q is missing in %q", want, soil)
			}
		}
		if got, want := find(t, b, "Other/Soil.md").Content,
			"[Soil](/Other/Soil.md) [Soil](/Garden/Soil.md) [Soil](/Garden/Soil.md) "+
				"[Soil](/Garden/Soil.md)"; !strings.HasSuffix(got, want) {
			t.Errorf("content %q", got)
		}
		d := portable.NewDirectory(b)
		for i, p := range b.Posts {
			markup.Rewrite(p.Content, func(l markup.Link) (string, bool) {
				if strings.HasPrefix(l.Destination, "/") {
					_, _, post := d.Post(i, l.Destination)
					_, file := d.File(i, l.Destination)
					if !post && !file {
						t.Errorf("%s leads to no note", l.Destination)
					}
				}
				return "", false
			})
		}
	})
	t.Run("with hidden notes as drafts", func(t *testing.T) {
		for title, want := range map[string]portable.Status{
			"Secret": portable.Draft, "Other secret": portable.Draft, "Unsure": portable.Draft, "Half": portable.Draft,
			"2021-05-07": portable.Draft,
			"Query":      portable.Draft, "Growing iOS Beans": portable.Published, "Dated note": portable.Published,
		} {
			if got := find(t, b, title).Status; got != want {
				t.Errorf("%s is %s, want %s", title, got, want)
			}
		}
		if got := find(t, b, "Secret").Content; got != "[Other secret](/Other%20secret.md)" {
			t.Errorf("a draft's link to a draft becomes %q", got)
		}
	})
	t.Run("with a report of losses", func(t *testing.T) {
		for _, want := range []string{
			"Beans.md: links to missing notes are plain text now: gone.png, missing", "Beans.md: links to drafts are " +
				"plain text now: Secret",
			"Beans.md: embedded files that are not pictures were left out: plan.pdf", "Soil.md: embedded notes are " +
				"links to them now: Growing iOS Beans",
			"Soil.md: links to a block lead to its note now: Growing iOS Beans", "visibility: \"neighbours\" is not " +
				"understood",
			"status: \"halfway\" is not understood", "the query dataview is not known and stays in the text, so the " +
				"post is a draft", "1 daily note is imported as a draft",
		} {
			if len(problems(b, want)) != 1 {
				t.Errorf("%q is not reported: %v", want, b.Problems)
			}
		}
	})
}

func TestOnlyNotesMarkedAsPublicArePublished(t *testing.T) {
	for _, mark := range []string{"publish: true", "dg-publish: \"yes\"", "public: true"} {
		t.Run(mark, func(t *testing.T) {
			b := read(t, map[string]string{".obsidian/app.json": "{}", "a.md": "---\n" + mark + "\n---\nx [[b]]\n",
				"b.md": "y\n", "2021-05-07.md": "---\n" + mark + "\n---\nz\n"})
			if a, other, day := find(t, b, "a"), find(t, b, "b"),
				find(t, b, "2021-05-07"); a.Status != portable.Published || other.Status != portable.Draft ||
				day.Status != portable.Published || a.Content != "x b" {
				t.Errorf("%s, %s, %s: %q", a.Status, other.Status, day.Status, a.Content)
			}
			if len(problems(b, "1 note is imported as a draft")) != 1 {
				t.Errorf("problems %v", b.Problems)
			}
		})
	}
}

func TestNoteOfUnknownVisibilityIsADraft(t *testing.T) {
	for property, want := range map[string]portable.Status{
		"publish: perhaps": portable.Draft, "publish: no": portable.Draft, "private: on": portable.Draft,
		"private: perhaps": portable.Draft,
		"private:":         portable.Published, "private: false": portable.Published, "draft: \"true\"": portable.Draft,
		"published: 2020-01-02": portable.Published,
		"published: 2030-01-02": portable.Scheduled, "visibility: public": portable.Published,
		"status: Published": portable.Published,
		"status: unlisted":  portable.Unlisted,
		"Publish: false":    portable.Draft, "share: false": portable.Draft, "status: [a, b]": portable.Draft,
		"status: budding": portable.Published,
	} {
		t.Run(property, func(t *testing.T) {
			b := read(t, map[string]string{".obsidian/app.json": "{}", "a.md": "---\n" + property + "\n---\nx\n"})
			if got := b.Posts[0].Status; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func TestNoteWithTemplateCodeIsADraft(t *testing.T) {
	for text, want := range map[string]portable.Status{
		"```dataviewjs\ndv.x\n```": portable.Draft, "It is `= this.file.name`.": portable.Draft,
		"It is `$= dv.current()`.": portable.Draft, "On <% tp.date.now() %>.": portable.Draft,
		"Write `= 5` and `<% x %>`.": portable.Published, "````md\n```dataview\n```\n````": portable.Published,
		"mood:: sunny": portable.Published,
	} {
		t.Run(text, func(t *testing.T) {
			b := read(t, map[string]string{".obsidian/app.json": "{}", "a.md": text + "\n"})
			if p := b.Posts[0]; p.Status != want || p.Content != text {
				t.Errorf("%s, want %s: %q", p.Status, want, p.Content)
			}
		})
	}
}

func TestMarkdownFolderWithWikiLinks(t *testing.T) {
	t.Run("is a folder of notes", func(t *testing.T) {
		b := read(t, map[string]string{"A Note.md": "See [[b]].\n", "b.md": "x\n"})
		if b.Format != "Markdown notes" || find(t, b, "A Note").Content != "See [b](/b.md)." {
			t.Errorf("%s: %+v", b.Format, b.Posts)
		}
	})
	t.Run("is not a folder of notes if the links lead nowhere", func(t *testing.T) {
		b := read(t, map[string]string{"A Note.md": "`[[b]]` or [[2]] or [[b]](x).\n", "b.md": "x\n"})
		if b.Format != "Markdown" || find(t, b, "A Note").Content != "`[[b]]` or [[2]] or [[b]](x)." {
			t.Errorf("%s: %+v", b.Format, b.Posts)
		}
	})
	t.Run("keeps the case of names in titles without links", func(t *testing.T) {
		b := read(t, map[string]string{"My iOS App.md": "Text\n", "some-words.md": "Text\n"})
		find(t, b, "My iOS App")
		find(t, b, "Some words")
	})
}

func TestFoamNotesAreRead(t *testing.T) {
	b := read(t, map[string]string{
		".foam/templates/x.md": "x", ".vscode/foam.json": "{}",
		"notes/first-note.md": "# The first\n\nSee [[second-note]].\n\n[//begin]: # \"Autogenerated link references " +
			"for markdown compatibility\"\n[second-note]: second-note \"The second\"\n[//end]: # \"Autogenerated " +
			"link references\"\n",
		"notes/second-note.md": "# The second\n\nx\n",
	})
	if got := find(t, b, "The first").Content; b.Format != "Foam" || len(b.Posts) != 2 ||
		got != "See [second-note](/notes/second-note.md)." {
		t.Errorf("%d posts of %s: %q", len(b.Posts), b.Format, got)
	}
}

func TestDendronNotesAreRead(t *testing.T) {
	b := read(t, map[string]string{
		"dendron.yml": "version: 5\n",
		"vault/garden.beans.md": "---\nid: abc123\ntitle: Beans\ndesc: ''\nupdated: " +
			"1600000000000\ncreated: 1500000000000\ntags: [a.b]\n---\n\nSee [[the soil|garden.soil]], " +
			"[[garden.soil#how-to]] and ![[garden.secret]].\n",
		"vault/garden.soil.md":              "---\nid: def\ntitle: Soil\nnav_exclude: true\n---\n# Soil\n\nx\n",
		"vault/garden.secret.md":            "---\nid: ghi\ntitle: Secret\npublished: false\n---\nx\n",
		"vault/daily.journal.2021.05.06.md": "---\nid: jkl\ntitle: '2021-05-06'\n---\nx\n",
		"vault/templates.post.md":           "---\ntitle: Post\n---\nx\n",
		"vault/root.schema.yml":             "x",
	})
	p := find(t, b, "Beans")
	if b.Format != "Dendron" || len(b.Posts) != 4 ||
		p.Content != "See [the soil](/vault/garden.soil.md), [Soil](/vault/garden.soil.md#how-to) and garden.secret." {
		t.Errorf("%d posts of %s: %q", len(b.Posts), b.Format, p.Content)
	}
	if p.Created.UnixMilli() != 1500000000000 || p.Edited.UnixMilli() != 1600000000000 ||
		strings.Join(p.Paths, " ") != "/notes/abc123" || p.Slug != "beans" {
		t.Errorf("created %s, edited %s, paths %s, slug %s", p.Created, p.Edited, p.Paths, p.Slug)
	}
	for title, want := range map[string]portable.Status{"Soil": portable.Unlisted, "Secret": portable.Draft,
		"2021-05-06": portable.Draft} {
		if got := find(t, b, title).Status; got != want {
			t.Errorf("%s is %s, want %s", title, got, want)
		}
	}
	if got := find(t, b, "Soil").Content; got != "x" {
		t.Errorf("the title is repeated in the text: %q", got)
	}
}

func TestLogseqNotesAreRead(t *testing.T) {
	b := read(t, map[string]string{
		"logseq/config.edn":       "{}",
		"logseq/bak/pages/old.md": "- x",
		"pages/Growing Beans.md": "tags:: Garden, [[dry beans]]\nalias:: Runners\ndate:: 2020-02-03\n\n- Sow in " +
			"**May**\n  id:: 1234\n  and water.\n\t- a bean\n\t  collapsed:: true\n\t\t- another\n" +
			"- [more]([[garden/Soil]]) and [[garden/Soil]] #outdoors #[[in pots]]\n- ## End\n- {{video " +
			"https://v.example/1}}\n",
		"pages/garden___Soil.md": "- See [[Runners]]\n",
		"pages/Prose.md":         "No outline.\n\n- a\n\t- b\n",
		"pages/Hidden.md":        "public:: false\n\n- x\n",
		"journals/2021_05_06.md": "- A day\n",
		"assets/x.png":           "png",
	})
	p := find(t, b, "Growing Beans")
	want := "Sow in **May**\nand water.\n- a bean\n\t- another\n\n[more](/pages/garden___Soil.md) and " +
		"[Soil](/pages/garden___Soil.md) #outdoors #in pots\n\n## End\n\n<https://v.example/1>"
	if b.Format != "Logseq" || len(b.Posts) != 5 || p.Content != want {
		t.Errorf("%d posts of %s\n%s\nwant\n%s", len(b.Posts), b.Format, p.Content, want)
	}
	if got := strings.Join(p.Tags, "|"); got != "Garden|dry beans|outdoors|in pots" ||
		p.Created.Format(time.DateOnly) != "2020-02-03" {
		t.Errorf("tags %s, created %s", got, p.Created)
	}
	if got := find(t, b, "garden/Soil").Content; got != "See [Runners](/pages/Growing%20Beans.md)" {
		t.Errorf("content %q", got)
	}
	if got := find(t, b, "Prose").Content; got != "No outline.\n\n- a\n\t- b" {
		t.Errorf("content %q", got)
	}
	for title, want := range map[string]portable.Status{"Hidden": portable.Draft, "2021_05_06": portable.Draft,
		"Prose": portable.Published} {
		if got := find(t, b, title).Status; got != want {
			t.Errorf("%s is %s, want %s", title, got, want)
		}
	}
}

func TestNotionPagesAreRead(t *testing.T) {
	const a, c, d = "0123456789abcdef0123456789abcdef", "1123456789abcdef0123456789abcdef",
		"2123456789abcdef0123456789abcdef"
	b := read(t, map[string]string{
		"Blog " + a + ".md": "# Blog\n\n[Posts](Posts%20" + c +
			".csv)\n\nNote: this is text.\n",
		"Posts " + c + ".csv": "\ufeffName,Tags,Published on,Mood\nGrowing iOS " +
			"Beans,\"Garden, Dry beans\",x,y\n",
		"Posts " + c + "/Growing iOS Beans " + d +
			".md": "# Growing iOS Beans\n\nTags: Garden, Dry beans\nPublished on: February 3, 2020 4:05 PM\nMood: " +
			"sunny: very\n\nSow.\n\n<aside>\n💡 Mind **this**\n\n</aside>\n\n![x](Growing%20iOS%20Beans%20" + d +
			"/x.png) [Blog](../Blog%20" + a + ".md)\n",
		"Posts " + c + "/Later " + a + ".md":                "# Later\n\nStatus: In progress\n\nx\n",
		"Posts " + c + "/Growing iOS Beans " + d + "/x.png": "png",
	})
	p := find(t, b, "Growing iOS Beans")
	if b.Format != "Notion" || len(b.Posts) != 3 || strings.Join(p.Tags, "|") != "Garden|Dry beans" ||
		p.Created.Format(time.RFC3339) != "2020-02-03T16:05:00Z" || p.Slug != "growing-ios-beans" {
		t.Errorf("%d posts of %s: %+v", len(b.Posts), b.Format, p)
	}
	if want := "Sow.\n\n> 💡 Mind **this**\n\n![x]("; !strings.HasPrefix(p.Content, want) {
		t.Errorf("content %q", p.Content)
	}
	if got := strings.Join(p.Paths, " "); got != "/Growing-iOS-Beans-"+d {
		t.Errorf("paths %s", got)
	}
	if got := find(t, b, "Blog").Content; got != "Posts\n\nNote: this is text." {
		t.Errorf("content %q", got)
	}
	if got := find(t, b, "Later").Status; got != portable.Draft {
		t.Errorf("a page in progress is %s", got)
	}
	directory := portable.NewDirectory(b)
	for i, p := range b.Posts {
		if p.Title == "Growing iOS Beans" {
			if _, ok := directory.File(i, "Growing%20iOS%20Beans%20"+d+"/x.png"); !ok {
				t.Error("the picture is not found")
			}
			if to, _, ok := directory.Post(i, "../Blog%20"+a+".md"); !ok || b.Posts[to].Title != "Blog" {
				t.Error("the page is not found")
			}
		}
	}
}

func TestCalloutIsAQuoteWithALabel(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"without a title":          {"> [!info]\n> Text.", "> **Info**\n>\n> Text."},
		"that Inkfeed has":         {"> [!note]\n> Text.", "> [!note]\n> Text."},
		"with a title":             {"> [!tip]+ Mind it\n> Text.", "> **Mind it**\n>\n> Text."},
		"with a title alone":       {"> [!tip] Mind it", "> **Mind it**"},
		"with parameters":          {"> [!my-box|left] \n> Text.", "> **My box**\n>\n> Text."},
		"within another":           {"> [!a]\n> > [!b] C\n> > Text.", "> **A**\n>\n> > **C**\n> >\n> > Text."},
		"in a list":                {"- > [!a]\n  > Text.", "- > **A**\n  >\n  > Text."},
		"followed by a blank line": {"> [!a]\n>\n> Text.", "> **A**\n>\n> Text."},
		"with a bold title":        {"> [!a] A **bold** one", "> **A bold one**"},
		"except in code":           {"```\n> [!a]\n```", "```\n> [!a]\n```"},
		"except for a link":        {"> [!a](b.png)", "> [!a](b.png)"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, map[string]string{"a.md": "---\ntitle: A\n---\n" + c.text + "\n"})
			if got := b.Posts[0].Content; got != c.want {
				t.Errorf("content\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
