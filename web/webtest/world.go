package webtest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/sample"
)

// LongPost is a text with an element of each kind.
const LongPost = `A first paragraph with *emphasis*, **strength**, ~~regret~~, ` + "`inline code`" +
	` and a [link](https://example.org).

## A heading

> A quotation, which goes on for a while, so that it breaks into a second line on any screen.

1. First
2. Second
   - nested
   - twice

| Language | Greeting | Remark | A rather long column heading | Another one |
|---|:-:|--:|---|---|
| Japanese | こんにちは | 1 | Something long enough to need room in the row | and more |
| Arabic | مرحبا | 22 | x | y |

` + "```go\nfunc main() { fmt.Println(\"a line of code that is rather long, " +
	"much longer than a phone is wide, so it scrolls\") }\n```" + `

吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。

هذا نص عربي طويل بما يكفي ليظهر اتجاه الكتابة من اليمين إلى اليسار في هذه الفقرة.

Averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword.

---

### A smaller heading

The end.`

// World is a site with many users and posts.
type World struct {
	*Site
	Ada, Ben *Visitor
	worldPosts
}

// worldPosts are the posts of a World that tests name.
type worldPosts struct {
	Long   domain.Post // ada's, with 120 comments
	Arabic domain.Post
	Quiet  domain.Post // without comments and likes
}

// worldTemplate is the content of a World, which the first call of NewWorld writes.
var worldTemplate struct {
	sync.Mutex
	Template
	ada, ben Visitor
	posts    worldPosts
}

// OpenWorld returns a new World and a tab of the shared browser on it, or skips the test where there is no browser.
func OpenWorld(t *testing.T) (*World, *Tab) {
	t.Helper()
	ctx := Browser(t)
	w := NewWorld(t)
	return w, NewTab(t, ctx, Listen(t, w.Handler))
}

// NewWorld returns a World in a database of its own.
func NewWorld(t *testing.T) *World {
	t.Helper()
	worldTemplate.Lock()
	defer worldTemplate.Unlock()
	if worldTemplate.files == nil {
		w := buildWorld(t)
		worldTemplate.ada, worldTemplate.ben, worldTemplate.posts = *w.Ada, *w.Ben, w.worldPosts
		worldTemplate.Template = w.Data.Snapshot()
	}
	s := NewSiteOn(t, OpenDatabase(t, worldTemplate.Template), KeyOne)
	copyOf := func(v Visitor) *Visitor {
		return &Visitor{Site: s, User: v.User, Cookies: maps.Clone(v.Cookies), Header: http.Header{}}
	}
	return &World{Site: s, Ada: copyOf(worldTemplate.ada), Ben: copyOf(worldTemplate.ben),
		worldPosts: worldTemplate.posts}
}

// buildWorld writes a World into a new database.
func buildWorld(t *testing.T) *World {
	t.Helper()
	s := NewSite(t)
	w := &World{Site: s, Ada: s.SignUp("ada"), Ben: s.SignUp("ben")}
	blog := sample.New(7, 8, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	ctx, accounts, posts := s.Data.Context(), s.Data.Store.Accounts, s.Data.Store.Posts
	for _, u := range blog.Users {
		s.Data.Must(accounts.Create(ctx, u, ""))
	}
	for p := range blog.Posts() {
		s.Data.Must(posts.Create(ctx, p.Post))
		for _, c := range p.Comments {
			_, err := posts.AddComment(ctx, c)
			s.Data.Must(err)
		}
		for _, l := range p.Likes {
			_, err := posts.Like(ctx, l)
			s.Data.Must(err)
		}
	}
	at := time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)
	write := func(author *Visitor, title, content string) domain.Post {
		p, err := domain.NewPost(author.User, title, content, at)
		s.Data.Must(err)
		at = at.Add(time.Hour)
		s.Data.Must(posts.Create(ctx, p))
		return p
	}
	w.Quiet = write(w.Ben, "吾輩は猫である", "名前はまだ無い。")
	w.Arabic = write(w.Ada, "مرحبا بالعالم: عنوان طويل لمقالة قصيرة عن الكتابة",
		"هذا نص عربي.\n\nAnd an English paragraph.")
	w.Long = write(w.Ada,
		"On writing things down, and why a title that will not end is still a title that somebody wanted", LongPost)
	texts := CommentTexts(120)
	texts[0] = "**Well said.** See `x` and\n\n> a quote\n\nand " + strings.Repeat("long", 40)
	texts[1] = "تعليق بالعربية"
	w.Ben.CreateComments(w.Long, texts...)
	_, err := posts.Like(ctx, domain.NewLike(w.Ben.User, w.Long.ID, at))
	s.Data.Must(err)
	return w
}

// SubmitFormScript returns a script that submits the form of a page with names and values in turn. The browser does not
// validate the form.
func SubmitFormScript(fields []string) string {
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return fmt.Sprintf(`(() => {
		const form = document.querySelector('main form');
		for (const [name, value] of new URLSearchParams(%q)) form.elements[name].value = value;
		form.noValidate = true;
		form.submit();
	})()`, values.Encode())
}
