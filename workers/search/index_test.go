package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/workers"
	"inkfeed/workers/search"
)

// world is an index in a folder, and the feed that it follows.
type world struct {
	*search.Index
	t      *testing.T
	dir    string
	log    *bytes.Buffer
	follow int
}

var whole = domain.FeedRange{MaxExclusive: "FF"}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), log: &bytes.Buffer{}}
	w.open()
	w.begin()
	return w
}

func (w *world) open() {
	w.t.Helper()
	x, err := search.Open(w.dir, domain.NewMarkdown(), slog.New(slog.NewTextHandler(w.log, nil)))
	if err != nil {
		w.t.Fatal(err)
	}
	w.Index = x
	w.t.Cleanup(func() { x.Close() })
}

func (w *world) begin() {
	w.t.Helper()
	if err := errors.Join(w.Begin(w.t.Context(), "rid"), w.Replace(w.t.Context(), nil, []workers.Mark{{Range: whole}})); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) reopen() {
	w.t.Helper()
	w.Close()
	w.open()
}

func (w *world) page(posts ...domain.Post) ([]domain.Change[domain.PostChange], workers.Mark) {
	var changes []domain.Change[domain.PostChange]
	for _, p := range posts {
		changes = append(changes, domain.Change[domain.PostChange]{Item: domain.ItemRef{PartitionKey: p.ID, ID: p.ID}, Value: domain.PostChange{Post: &p}})
	}
	w.follow++
	return changes, workers.Mark{Range: whole, Continuation: fmt.Sprint(w.follow), Read: time.Now(), Complete: true}
}

// write lets the index follow changes.
func (w *world) write(posts ...domain.Post) {
	w.t.Helper()
	changes, mark := w.page(posts...)
	if err := w.Follow(w.t.Context(), changes, mark); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) search(query string) domain.Found {
	w.t.Helper()
	found, err := w.Search(w.t.Context(), query, 1)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return found
}

// titles are those of what is found, in their order.
func (w *world) titles(query string) []string {
	w.t.Helper()
	var titles []string
	for _, h := range w.search(query).Posts.Items {
		titles = append(titles, h.Title)
	}
	return titles
}

func (w *world) finds(query string, want ...string) {
	w.t.Helper()
	got := w.titles(query)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("%q finds %q, want %q", query, got, want)
	}
}

var posted = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func post(title, content string, tags ...string) domain.Post {
	posted = posted.Add(time.Minute)
	return domain.Post{ID: domain.NewID(), AuthorID: "u.ada", AuthorName: "Ada", Title: title, Content: content,
		Tags: domain.TagsOf(tags), Created: posted, Revision: 1, Version: 1}
}

// plain is the marked text, with the marks as brackets.
func plain(parts []domain.Fragment) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Marked {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestEveryScript(t *testing.T) {
	w := newWorld(t)
	w.write(
		post("english", "The quick brown foxes jumped over the lazy dog. It's C++ and C#, not C. Wi-Fi costs 3.14."),
		post("german", "Über die Straße läuft ein Mädchen nach Łódź."),
		post("french", "L’été, à la crème brûlée, l'amour et l’œuvre"),
		post("russian", "Ёлка стоит в лесу. Мой брат."),
		post("greek", "Ο Οδυσσέας και η Ιθάκη"),
		post("arabic", "السَّلامُ عَلَيْكُم، هذا كتاب عن الأدب"),
		post("persian", "می\u200cخواهم کتاب بخوانم"),
		post("hebrew", "שָׁלוֹם עולם"),
		post("hindi", "हिन्दी में लिखना बहुत अच्छा है"),
		post("tamil", "தமிழ் மொழி இனிது"),
		post("chinese", "我在北京大学学习计算机科学。"),
		post("japanese", "東京タワーに登りました。カタカナとひらがな。"),
		post("korean", "한국어를 공부합니다. 서울에서 만나요."),
		post("thai", "ภาษาไทยไม่มีช่องว่างระหว่างคำ กินน้ำ"),
		post("emoji", "A cat 🐈 and a family 👩‍👩‍👧 and thumbs 👍🏽"),
		post("width", "Ｆｕｌｌｗｉｄｔｈ ｶﾀｶﾅ"),
	)
	for query, want := range map[string]string{
		"quick": "english", "QUICK fox": "english", "foxes dog": "english", "c++": "english", "C#": "english", "it's": "english",
		"wi-fi": "english", "3.14": "english", "3.1": "",
		"uber": "german", "ÜBER": "german", "u\u0308ber": "german", "strasse": "german", "straße": "german", "STRASSE": "german", "mädchen": "german", "madchen": "german", "lodz": "german",
		"ete": "french", "amour": "french", "oeuvre": "french", "brulee creme": "french",
		"елка": "russian", "ЁЛКА": "russian", "лес": "russian", "мой": "russian", "οδυσσεασ": "greek", "ΙΘΆΚΗ": "greek",
		"السلام": "arabic", "عليكم": "arabic", "الادب": "arabic",
		"میخواهم": "persian", "می\u200cخواهم": "persian", "كتاب بخوانم": "persian", "שלום": "hebrew", "עולם": "hebrew",
		"हिन्दी": "hindi", "लिखना": "hindi", "मொழி": "", "மொழி": "tamil",
		"北京": "chinese", "大学": "chinese", "学": "chinese", "计": "chinese", "学习计算机": "chinese", "北京 科学": "chinese", "学京": "",
		"東京": "japanese", "タワー": "japanese", "ワー": "japanese", "登": "japanese", "ひらがな": "japanese", "な": "japanese",
		"한국어": "korean", "국어": "korean", "서울": "korean", "만나요": "korean",
		"ภาษา": "thai", "ไทย": "thai", "ว่าง": "thai", "น้ำ": "thai", "กินน้ำ": "thai",
		"🐈": "emoji", "👍": "emoji", "👍🏿": "emoji", "👩‍👩‍👧": "emoji", "🐕": "",
		"fullwidth": "width",
	} {
		want := []string{want}
		if want[0] == "" {
			want = nil
		}
		w.finds(query, want...)
	}
	w.finds("カタカナ", "japanese", "width")
	w.finds("٣.١٤", "english") // digits of another script

	for query, want := range map[string]string{
		"fox lazy": "The quick brown [foxes] jumped over the [lazy] dog.",
		"strasse":  "[Straße]", "大学学": "我在北京[大学学]习计算机科学。", "เว้น": "", "น้ำ": "กิน[น้ำ]", "الادب": "عن [الأدب]",
		"हिन्दी": "[हिन्दी] में", "c": "not [C].", "c++": "It’s [C++] and", "👍": "[👍🏽]",
	} {
		if want == "" {
			w.finds(query)
			continue
		}
		if query == "fox lazy" {
			query = "foxes lazy"
		}
		hits := w.search(query).Posts.Items
		if len(hits) != 1 {
			t.Errorf("%q finds %d", query, len(hits))
			continue
		}
		if got := plain(hits[0].Extract); !strings.Contains(got, want) {
			t.Errorf("%q shows %s, without %s", query, got, want)
		}
	}
}

func TestQueries(t *testing.T) {
	w := newWorld(t)
	bob := post("gardening for engineers", "Roses and tulips. See the *bold* rose-garden.", "Garden", "C++")
	bob.AuthorID, bob.AuthorName = "u.bob", "Bob-Smith"
	w.write(bob,
		post("engines of the world", "Steam engines and a garden. Ada wrote of them.", "steam", "machine learning"),
		post("cooking", "Potatoes with `salt`.\n\n## Sauce\n\n| a | b |\n|---|---|\n| basil | thyme |\n\n```go\nfunc oven() {}\n```\n", "Küche"),
	)
	for query, want := range map[string][]string{
		"garden":                    {"gardening for engineers", "engines of the world"}, // the last word may be unfinished
		"garden roses":              {"gardening for engineers"},                         // also by its tag
		"gard steam":                nil,                                                 // but not another
		"engin":                     {"gardening for engineers", "engines of the world"},
		"en":                        nil,
		`"steam engines"`:           {"engines of the world"},
		`"engines steam"`:           nil,
		`“steam engines”`:           {"engines of the world"},
		`"steam eng`:                nil, // a phrase is of whole words
		"garden -steam":             {"gardening for engineers"},
		`garden -"steam engines"`:   {"gardening for engineers"},
		"-steam":                    nil,
		"tag:garden":                {"gardening for engineers"},
		"TAG:GARDEN":                {"gardening for engineers"},
		"#c++":                      {"gardening for engineers"},
		"tag:c":                     nil,
		`tag:"machine learning"`:    {"engines of the world"},
		"tag:machine-learning":      {"engines of the world"},
		"tag:küche":                 {"cooking"},
		"kuche":                     {"cooking"},
		"machine":                   {"engines of the world"},
		"@bob-smith":                {"gardening for engineers"},
		"author:BOB-SMITH garden":   {"gardening for engineers"},
		"by:ada garden":             {"engines of the world"},
		"smith":                     {"gardening for engineers"},
		"-@ada garden":              {"gardening for engineers"},
		"garden -tag:steam":         {"gardening for engineers"},
		"@nobody":                   nil,
		"basil":                     {"cooking"},
		"sauce":                     {"cooking"},
		"oven":                      {"cooking"},
		"h2":                        nil, // no word of the page's own
		"tag:":                      nil,
		`"" ' ( ) * : ^ { } AND OR`: nil,
		"salt AND":                  nil, // a word like any other
		"title:cooking":             nil,
		"engineers gardening":       {"gardening for engineers"},
	} {
		w.finds(query, want...)
	}
	for _, empty := range []string{"", "  ", `"`, "***", "-steam", "-tag:x", "…", "\x00\xff"} {
		if f := w.search(empty); !f.Empty || f.Total != 0 {
			t.Errorf("%q: %+v", empty, f)
		}
	}
}

func TestAuthors(t *testing.T) {
	w := newWorld(t)
	by := func(title, username, displayName string) domain.Post {
		p := post(title, "text")
		p.AuthorID, p.AuthorName, p.AuthorDisplayName = "u."+username, username, displayName
		return p
	}
	about := by("about augusta", "bob", "")
	about.Content = "The countess was a King by name."
	w.write(about, by("of ada", "ada", "Augusta Ada King"), by("of king", "King", ""), by("of countess", "countess-ada", "Lady Lovelace"),
		by("of taro", "大阪", "大阪 太郎"), by("of strasse", "Straße", "Frau Müller"), by("of latif", "لطيف", "عبد اللطيف"))
	for query, want := range map[string][]string{
		"augusta":               {"of ada", "about augusta"},
		"mull":                  {"of strasse"}, // as it is being typed
		`"augusta ada"`:         {"of ada"},
		"太郎":                    {"of taro"},
		"عبد":                   {"of latif"},
		"@ada":                  {"of ada"},
		"@augusta":              nil, // a username
		"@king":                 {"of king"},
		"author:king":           {"of ada", "of king"},
		"by:lovelace":           {"of countess"},
		"by:ada":                {"of ada"},
		"by:太郎 text":            {"of taro"},
		"by:太":                  {"of taro"},
		"by:@ada":               {"of ada"},
		"＠ada":                  {"of ada"},
		`by:"Lady Lovelace"`:    {"of countess"},
		`by:"lovelace lady"`:    nil,
		`by:"ada augusta"`:      nil, // the end of one name and the beginning of the other
		`author:"The countess"`: nil, // that is in a text
		"text -by:king":         {"of countess", "of taro", "of strasse", "of latif"},
		"@ＡＤＡ":                  {"of ada"}, // wide letters
		"@大阪":                   {"of taro"},
		"@STRASSE":              {"of strasse"},
		"by:لطيف":               {"of latif"},
	} {
		w.finds(query, want...)
	}
	hit := w.search("@ada").Posts.Items[0]
	if hit.AuthorName != "ada" || hit.AuthorDisplayName != "Augusta Ada King" {
		t.Errorf("by %q, %q", hit.AuthorName, hit.AuthorDisplayName)
	}
	if got := plain(w.search("by:king text").Posts.Items[0].Extract); got != "[text]" {
		t.Errorf("the extract is %q", got)
	}
	if got := plain(w.search("by:ada of").Posts.Items[0].Headline); got != "[of] ada" {
		t.Errorf("an author is marked in the title: %q", got)
	}
}

func TestOrder(t *testing.T) {
	w := newWorld(t)
	w.write(
		post("about nothing", strings.Repeat("Words and words. ", 50)+"A kiwi. "+strings.Repeat("Words and words. ", 50)),
		post("older", "twin text"),
		post("the kiwi", "A bird."),
		post("newer", "twin text"),
		post("fruit", "kiwi kiwi kiwi"),
	)
	if got := w.titles("kiwi"); !slices.Equal(got, []string{"the kiwi", "fruit", "about nothing"}) {
		t.Errorf("order %q", got)
	}
	if got := w.titles("twin"); !slices.Equal(got, []string{"newer", "older"}) {
		t.Errorf("order of equals %q", got)
	}
	if got := plain(w.search("kiwi bird").Posts.Items[0].Headline); got != "the [kiwi]" {
		t.Errorf("headline %q", got)
	}
	got := plain(w.search("kiwi").Posts.Items[2].Extract)
	if !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") || !strings.Contains(got, " [kiwi]. Words") || len(got) > 300 {
		t.Errorf("extract %q", got)
	}
}

func TestPages(t *testing.T) {
	w := newWorld(t)
	var all []domain.Post
	for i := range 47 {
		all = append(all, post(fmt.Sprint("post ", i), "common"))
	}
	w.write(all...)
	seen := map[string]bool{}
	for number := 1; number <= 6; number++ {
		found, err := w.Search(t.Context(), "common", number)
		if err != nil {
			t.Fatal(err)
		}
		want := min(domain.SearchPerPage, 47-(number-1)*domain.SearchPerPage)
		if len(found.Posts.Items) != max(want, 0) || found.Posts.More != (number < 5) || found.Total != 47 || found.More {
			t.Errorf("page %d: %d posts, more %v, total %d", number, len(found.Posts.Items), found.Posts.More, found.Total)
		}
		for _, h := range found.Posts.Items {
			if seen[h.PostID] {
				t.Errorf("%s is on two pages", h.Title)
			}
			seen[h.PostID] = true
		}
	}
}

func TestChanges(t *testing.T) {
	first := post("first draft", "alpha", "one")
	first.CommentCount = 1

	t.Run("an edit takes the place of what was there", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		p := first
		p.Version, p.Title, p.Content, p.Tags, p.Edited = 2, "second", "beta", "two", p.Created.Add(time.Hour)
		w.write(p)
		w.finds("alpha")
		w.finds("tag:one")
		w.finds("beta tag:two", "second")
	})
	t.Run("a rename reaches the author's posts", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		p := first
		p.Version, p.AuthorName = 2, "Lovelace"
		w.write(p)
		w.finds("@ada")
		w.finds("@lovelace alpha", "first draft")
	})
	t.Run("so does another display name", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		for i, name := range []string{"Augusta", "Countess", ""} {
			p := first
			p.Version, p.AuthorDisplayName = 2+i, name
			w.write(p)
			for _, other := range []string{"augusta", "countess"} {
				if strings.EqualFold(other, name) {
					w.finds(other, "first draft")
				} else {
					w.finds(other)
				}
			}
			if got := w.search("alpha").Posts.Items[0].AuthorDisplayName; got != name {
				t.Errorf("%q is shown, want %q", got, name)
			}
		}
	})
	t.Run("what is unlisted, unpublished or deleted leaves, and comes back when it is newer", func(t *testing.T) {
		for _, gone := range []func(*domain.Post){
			func(p *domain.Post) { p.Status = domain.Unlisted },
			func(p *domain.Post) { p.Status = domain.Unpublished },
			func(p *domain.Post) { p.Title, p.Content, p.Tags, p.Deleted = "", "", "", time.Now() },
		} {
			w := newWorld(t)
			w.write(first)
			p := first
			p.Version = 3
			gone(&p)
			w.write(p)
			w.finds("alpha")
			if tags, _ := w.Tags(t.Context(), "", 10); len(tags) != 0 {
				t.Errorf("tags %v", tags)
			}
			if posts, _ := w.Posts(t.Context(), 1, 10); len(posts) != 0 {
				t.Errorf("listed %v", posts)
			}
			late := first
			late.Version = 2
			w.write(late, first) // they come again
			w.finds("alpha")
			w.reopen()
			w.write(late)
			w.finds("alpha")
			late.Version = 4
			w.write(late)
			w.finds("alpha", "first draft")
		}
	})
	t.Run("what was never listed is not found, also by an older version", func(t *testing.T) {
		w := newWorld(t)
		p := first
		p.Version, p.Status = 5, domain.Unlisted
		w.write(p, first)
		w.finds("alpha")
	})
	t.Run("an older version changes nothing, also in one page and after likes", func(t *testing.T) {
		w := newWorld(t)
		newer, liked, old := first, first, first
		newer.Version, newer.Content = 3, "gamma"
		liked.Version, liked.Content, liked.LikeCount = 7, "gamma", 4
		old.Version, old.Content = 5, "alpha" // it was that in between
		w.write(newer, first)
		w.write(liked)
		w.write(old)
		w.finds("alpha")
		w.finds("gamma", "first draft")
		if hit := w.search("gamma").Posts.Items[0]; hit.LikeCount != 4 || hit.CommentCount != 1 || hit.Version != 7 {
			t.Errorf("hit %+v", hit.Summary)
		}
	})
	t.Run("comments and likes change nothing but the counts", func(t *testing.T) {
		w := newWorld(t)
		w.write(first)
		changes, mark := w.page()
		changes = append(changes, domain.Change[domain.PostChange]{Value: domain.PostChange{Comment: &domain.Comment{Content: "delta"}}},
			domain.Change[domain.PostChange]{Value: domain.PostChange{Like: &domain.Like{Username: "delta"}}})
		if err := w.Follow(t.Context(), changes, mark); err != nil {
			t.Fatal(err)
		}
		w.finds("delta")
		w.finds("alpha", "first draft")
	})
	t.Run("a page that fails leaves neither its posts nor its mark", func(t *testing.T) {
		w := newWorld(t)
		w.write(post("kept", "epsilon"))
		_, before, _ := w.Marks(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		changes, mark := w.page(post("lost one", "zeta"), post("lost two", "zeta"))
		w.Index.Close() // as a crash in the middle would
		w.open()
		cancel()
		if err := w.Follow(ctx, changes, mark); err == nil {
			t.Fatal("a page is followed after its context ended")
		}
		w.finds("zeta")
		if _, after, _ := w.Marks(t.Context()); !slices.Equal(before, after) {
			t.Errorf("marks %v, were %v", after, before)
		}
		if err := w.Follow(t.Context(), changes, mark); err != nil {
			t.Fatal(err)
		}
		w.finds("zeta", "lost one", "lost two")
	})
	t.Run("a range that it does not know makes it begin anew", func(t *testing.T) {
		w := newWorld(t)
		changes, mark := w.page(first)
		mark.Range.MaxExclusive = "7F"
		if err := w.Follow(t.Context(), changes, mark); !errors.Is(err, workers.ErrLost) {
			t.Errorf("error %v", err)
		}
		w.finds("alpha")
	})
	t.Run("many posts of one second are all there", func(t *testing.T) {
		w := newWorld(t)
		var all []domain.Post
		for i := range 1000 {
			p := post(fmt.Sprint("imported ", i), "eta")
			p.Created = time.Date(2012, 1, 1, 0, 0, 0, 0, time.UTC)
			all = append(all, p)
		}
		w.write(all...)
		if found := w.search("eta"); found.Total != 1000 {
			t.Errorf("%d of 1000", found.Total)
		}
	})
	t.Run("dates before 1970 and none are dates as well", func(t *testing.T) {
		w := newWorld(t)
		a, b := post("ancient", "theta"), post("undated", "theta")
		a.Created, b.Created = time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC), time.Time{}
		w.write(a, b)
		w.finds("theta", "ancient", "undated")
	})
}

func TestTags(t *testing.T) {
	w := newWorld(t)
	w.write(post("a", "x", "Go", "golang"), post("b", "x", "go"), post("c", "x", "Go", "Gardening", "日本語"), post("d", "x", "日本", "Größe"))
	list := func(prefix string) string {
		t.Helper()
		uses, err := w.Tags(t.Context(), prefix, 3)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, u := range uses {
			names = append(names, fmt.Sprint(u.Name, " ", u.Posts))
		}
		return strings.Join(names, ", ")
	}
	for prefix, want := range map[string]string{
		"go": "Go 3, golang 1", "G": "Go 3, Gardening 1, golang 1", "#gol": "golang 1", "日本": "日本 1, 日本語 1",
		"zz": "", "%": "Go 3, Gardening 1, golang 1", "größ": "Größe 1",
	} {
		if got := list(prefix); got != want {
			t.Errorf("%q suggests %s, want %s", prefix, got, want)
		}
	}
}

func TestPosts(t *testing.T) {
	w := newWorld(t)
	var all []domain.Post
	for i := range 25 {
		p := post(fmt.Sprint("post ", i), "x")
		if i == 3 {
			p.Edited = p.Created.Add(time.Hour)
		}
		all = append(all, p)
	}
	w.write(slices.Concat(all[10:], all[:10])...)
	var titles []string
	for page := 1; page <= 4; page++ {
		list, err := w.Posts(t.Context(), page, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			titles = append(titles, l.Post.Title)
			if i := len(titles) - 1; l.Post.PostID != all[i].ID || (i == 3) != l.Changed.After(l.Post.Created) {
				t.Errorf("listing %d: %+v", i, l)
			}
		}
	}
	if len(titles) != 25 || titles[0] != "post 0" || titles[24] != "post 24" {
		t.Errorf("listed %q", titles)
	}
	if n, building, err := w.CountPosts(t.Context()); n != 25 || building || err != nil {
		t.Errorf("count %d, building %v, %v", n, building, err)
	}
}

func TestTheFile(t *testing.T) {
	t.Run("is found again after a restart, with its marks", func(t *testing.T) {
		w := newWorld(t)
		w.write(post("kept", "alpha"))
		w.reopen()
		w.finds("alpha", "kept")
		container, marks, err := w.Marks(t.Context())
		if container != "rid" || len(marks) != 1 || marks[0].Continuation != "1" || !marks[0].Complete || err != nil {
			t.Errorf("container %q, marks %+v, %v", container, marks, err)
		}
	})
	t.Run("says that it is being built until every range was read to its end", func(t *testing.T) {
		w := newWorld(t)
		if !w.search("x").Building || !w.search("").Building {
			t.Error("a new index is whole")
		}
		w.write()
		if w.search("x").Building {
			t.Error("it is building after its end was seen")
		}
		parts := []domain.FeedRange{{MaxExclusive: "7F"}, {MinInclusive: "7F", MaxExclusive: "FF"}}
		if err := w.Replace(t.Context(), []domain.FeedRange{whole}, []workers.Mark{{Range: parts[0], Complete: true}, {Range: parts[1]}}); err != nil {
			t.Fatal(err)
		}
		if !w.search("x").Building {
			t.Error("one range is not read, and it is whole")
		}
	})
	t.Run("has no marks when it was not kept for longer than deletions stay in the feed", func(t *testing.T) {
		w := newWorld(t)
		changes, mark := w.page(post("old", "alpha"))
		mark.Read = time.Now().Add(-domain.MarkerTime - time.Hour)
		if err := w.Follow(t.Context(), changes, mark); err != nil {
			t.Fatal(err)
		}
		if container, marks, err := w.Marks(t.Context()); container != "" || len(marks) != 0 || err != nil {
			t.Errorf("container %q, marks %v, %v", container, marks, err)
		}
		if !strings.Contains(w.log.String(), "built anew") {
			t.Errorf("log %s", w.log)
		}
	})
	damage := map[string]func(t *testing.T, file string){
		"is no database": func(t *testing.T, file string) {
			if err := os.WriteFile(file, bytes.Repeat([]byte("not SQLite "), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"is empty": func(t *testing.T, file string) {
			if err := os.Truncate(file, 0); err != nil {
				t.Fatal(err)
			}
		},
		"is of another form": func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt([]byte{0, 0, 0, 0}, 60); err != nil { // user_version
				t.Fatal(err)
			}
		},
	}
	for what, do := range damage {
		t.Run("is made anew when it "+what, func(t *testing.T) {
			w := newWorld(t)
			w.write(post("lost", "alpha"))
			w.Close()
			file := filepath.Join(w.dir, "search.db")
			for _, suffix := range []string{"-wal", "-shm"} {
				os.Remove(file + suffix)
			}
			do(t, file)
			w.open()
			if _, marks, err := w.Marks(t.Context()); len(marks) != 0 || err != nil {
				t.Errorf("marks %v, %v", marks, err)
			}
			if !strings.Contains(w.log.String(), "made anew") {
				t.Errorf("log %s", w.log)
			}
			w.begin()
			w.write(post("new", "beta"))
			w.finds("beta", "new")
			w.finds("alpha")
		})
	}
	t.Run("is made anew when it turns out to be damaged while it is used", func(t *testing.T) {
		w := newWorld(t)
		for range 50 {
			w.write(post("lost", strings.Repeat("alpha beta gamma ", 200)))
		}
		w.Close()
		file := filepath.Join(w.dir, "search.db")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		for at := int64(4096); at < info.Size(); at += 4096 { // all but the first page
			f.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), at)
		}
		f.Close()
		search, err := search.Open(w.dir, domain.NewMarkdown(), slog.New(slog.NewTextHandler(w.log, nil)))
		if err != nil {
			t.Fatalf("it does not open: %v", err)
		}
		w.Index = search
		t.Cleanup(func() { search.Close() })
		changes, mark := w.page(post("new", "delta"))
		w.Search(t.Context(), "alpha", 1) // which may find it first
		if err := w.Follow(t.Context(), changes, mark); !errors.Is(err, workers.ErrLost) {
			t.Fatalf("error %v", err)
		}
		w.begin()
		w.write(post("new", "delta"))
		w.finds("delta", "new")
		if !strings.Contains(w.log.String(), "made anew") {
			t.Errorf("log %s", w.log)
		}
	})
	t.Run("is each process's own when several share a folder", func(t *testing.T) {
		a := newWorld(t)
		b := &world{t: t, dir: a.dir, log: &bytes.Buffer{}}
		b.open()
		b.begin()
		a.write(post("of a", "alpha"))
		b.write(post("of b", "beta"))
		a.finds("beta")
		b.finds("beta", "of b")
		a.finds("alpha", "of a")
	})
	t.Run("answers that the search is not available once it is closed", func(t *testing.T) {
		w := newWorld(t)
		w.Close()
		if _, err := w.Search(t.Context(), "x", 1); !domain.Is(err, domain.Unavailable) {
			t.Errorf("error %v", err)
		}
		changes, mark := w.page()
		if err := w.Follow(t.Context(), changes, mark); err == nil {
			t.Error("it follows")
		}
	})
}
