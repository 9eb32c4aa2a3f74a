package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestSearchInEveryScript(t *testing.T) {
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
		"quick": "english", "QUICK fox": "english", "foxes dog": "english",
		"c++": "english", "C#": "english", "it's": "english", "wi-fi": "english", "3.14": "english", "3.1": "",
		"uber": "german", "ÜBER": "german", "u\u0308ber": "german", "strasse": "german",
		"straße": "german", "STRASSE": "german", "mädchen": "german", "madchen": "german", "lodz": "german",
		"ete": "french", "amour": "french", "oeuvre": "french", "brulee creme": "french",
		"елка": "russian", "ЁЛКА": "russian", "лес": "russian", "мой": "russian", "οδυσσεασ": "greek", "ΙΘΆΚΗ": "greek",
		"السلام": "arabic", "عليكم": "arabic", "الادب": "arabic",
		"میخواهم": "persian", "می\u200cخواهم": "persian", "كتاب بخوانم": "persian", "שלום": "hebrew", "עולם": "hebrew",
		"हिन्दी": "hindi", "लिखना": "hindi", "मொழி": "", "மொழி": "tamil",
		"北京": "chinese", "大学": "chinese", "学": "chinese", "计": "chinese", "学习计算机": "chinese",
		"北京 科学": "chinese", "学京": "",
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

func TestQuerySyntax(t *testing.T) {
	w := newWorld(t)
	bob := post("gardening for engineers", "Roses and tulips. See the *bold* rose-garden.", "Garden", "C++")
	bob.AuthorID, bob.AuthorName = "u.bob", "Bob-Smith"
	w.write(bob,
		post("engines of the world", "Steam engines and a garden. Ada wrote of them.", "steam", "machine learning"),
		post("cooking", "Potatoes with `salt`.\n\n## Sauce\n\n| a | b |\n|---|---|\n| basil | thyme |\n\n```go\nfunc "+
			"oven() {}\n```\n", "Küche"),
	)
	for query, want := range map[string][]string{
		"garden": {"gardening for engineers",
			"engines of the world"}, // the last word may be the beginning of one
		"garden roses":              {"gardening for engineers"}, // found by its tag too
		"gard steam":                nil,                         // but no other word may
		"engin":                     {"gardening for engineers", "engines of the world"},
		"en":                        nil,
		`"steam engines"`:           {"engines of the world"},
		`"engines steam"`:           nil,
		`“steam engines”`:           {"engines of the world"},
		`"steam eng`:                nil, // a phrase has whole words
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
		"h2":                        nil, // HTML is not indexed
		"tag:":                      nil,
		`"" ' ( ) * : ^ { } AND OR`: nil,
		"salt AND":                  nil, // AND is an ordinary word
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

func TestSearchByAuthor(t *testing.T) {
	w := newWorld(t)
	by := func(title, username, displayName string) domain.Post {
		p := post(title, "text")
		p.AuthorID, p.AuthorName, p.AuthorDisplayName = "u."+username, username, displayName
		return p
	}
	about := by("about augusta", "bob", "")
	about.Content = "The countess was a King by name."
	w.write(about, by("of ada", "ada", "Augusta Ada King"), by("of king", "King", ""),
		by("of countess", "countess-ada", "Lady Lovelace"),
		by("of taro", "大阪", "大阪 太郎"), by("of strasse", "Straße", "Frau Müller"), by("of latif", "لطيف", "عبد اللطيف"))
	for query, want := range map[string][]string{
		"augusta":               {"of ada", "about augusta"},
		"mull":                  {"of strasse"}, // the beginning of a name
		`"augusta ada"`:         {"of ada"},
		"太郎":                    {"of taro"},
		"عبد":                   {"of latif"},
		"@ada":                  {"of ada"},
		"@augusta":              nil, // not a username
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
		`by:"ada augusta"`:      nil, // the end of the display name and the username
		`author:"The countess"`: nil, // only in a text
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

func TestResultsAreOrderedByRelevanceAndDate(t *testing.T) {
	w := newWorld(t)
	w.write(
		post("about nothing", strings.Repeat("Words and words. ", 50)+"A kiwi. "+strings.Repeat("Words and words. ",
			50)),
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
	if !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") || !strings.Contains(got, " [kiwi]. Words") ||
		len(got) > 300 {
		t.Errorf("extract %q", got)
	}
}

func TestResultsAreDividedIntoPages(t *testing.T) {
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
		if len(found.Posts.Items) != max(want, 0) || found.Posts.More != (number < 5) || found.Total != 47 ||
			found.More {
			t.Errorf("page %d: %d posts, more %v, total %d", number, len(found.Posts.Items), found.Posts.More,
				found.Total)
		}
		for _, h := range found.Posts.Items {
			if seen[h.PostID] {
				t.Errorf("%s is on two pages", h.Title)
			}
			seen[h.PostID] = true
		}
	}
}

func TestOfVeryManyMatchesTitlesComeFirstAndThenTheNewest(t *testing.T) {
	w := newWorld(t)
	var posts []domain.Post
	var titled, others []string // the newest first
	for i := range 1050 {
		title, text := fmt.Sprint("post ", i), "a harbour"
		if i%70 == 0 { // 15 of them, so they end in the middle of the second page
			title, text = fmt.Sprint("harbour ", i), "something"
			titled = append([]string{title}, titled...)
		} else {
			others = append([]string{title}, others...)
		}
		p := post(title, text)
		p.Created = time.Date(2020, 1, 1, 0, i, 0, 0, time.UTC)
		posts = append(posts, p)
	}
	w.write(posts...)
	want := append(titled, others...)[:1000]
	var got []string
	for page := 1; page <= 101; page++ {
		found, err := w.Search(t.Context(), "harbour", page)
		if err != nil {
			t.Fatal(err)
		}
		if found.Total != 1000 || !found.More || found.Posts.More != (page < 100) {
			t.Fatalf("page %d: %d matches, more matches: %v, more pages: %v", page, found.Total, found.More,
				found.Posts.More)
		}
		for _, hit := range found.Posts.Items {
			got = append(got, hit.Title)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestTheLastWordFindsLongerOnesUnlessItIsVeryCommonItself(t *testing.T) {
	w := newWorld(t)
	var posts []domain.Post
	for i := range 1000 {
		p := post(fmt.Sprint("post ", i), "a harbour")
		p.Created = time.Date(2020, 1, 1, 0, i, 0, 0, time.UTC)
		posts = append(posts, p)
	}
	longer := post("longer", "a harbourmaster")
	longer.Created = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	w.write(append(posts, longer)...)
	first := func() string {
		found := w.search("harbour")
		if found.Total != 1000 || !found.More {
			t.Fatalf("%d matches, more: %v", found.Total, found.More)
		}
		return found.Posts.Items[0].Title
	}
	if got := first(); got != "longer" {
		t.Errorf("with 1000 posts that have the word itself, %q comes first", got)
	}
	another := post("another", "a harbour")
	another.Created = time.Date(2020, 6, 1, 0, 0, 0, 0, time.UTC)
	w.write(another)
	if got := first(); got != "another" {
		t.Errorf("with 1001 posts that have the word itself, %q comes first", got)
	}
	w.finds("harbourm", "longer")
}

func TestHitsHaveTheCoverOfThePost(t *testing.T) {
	w := newWorld(t)
	cover := domain.ImageName{Hash: strings.Repeat("a", 26), Width: 2000, Height: 1500, Ext: domain.ExtJPEG}
	p := post("A cat", "![A cat]("+cover.Path()+")")
	p.Details.CoverFocus = "50,0"
	w.write(p)
	if c := w.search("cat").Posts.Items[0].Cover; c.Image != cover || c.Alt != "A cat" || c.Focus != "50,0" {
		t.Errorf("the cover is %+v", c)
	}
}
