package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// publish publishes a post by its form and returns its address.
func publish(v *webtest.Visitor, content string) string {
	v.T.Helper()
	return v.Post("/posts", "title", "A title", "content", content, "do", "publish").Want(http.StatusSeeOther).
		Header.Get("Location")
}

const (
	linkInPost    = `.post .prose a.mention[href="/@%s"]`
	linkInComment = `.comment .prose a.mention[href="/@%s"]`
)

// TestMentionsLeadToWhomTheyMeant runs on a site with caches, which must notice the changes of other users.
func TestMentionsLeadToWhomTheyMeant(t *testing.T) {
	s := webtest.NewCachedSite(t, "signup=off")
	ada, ben, carl := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("carl")
	path := publish(ada, "Thanks, @Ben and @nobody, but not `@carl`.")
	id, _ := domain.PostIDIn(path)
	comments := "/posts/" + id + "/comments"
	carl.Post(comments, "content", "@ben, @carl and @ada").Want(http.StatusSeeOther)
	readers := []*webtest.Visitor{s.Anonymous(), s.SignUp("dora"), ada}
	want := func(t *testing.T, name string) {
		t.Helper()
		for _, reader := range readers {
			for range 2 { // the second time, from the caches
				page := reader.Get(path).Want(http.StatusOK)
				page.Has(fmt.Sprintf(linkInPost, name), "@"+name).Has(fmt.Sprintf(linkInComment, name), "@"+name)
				reader.Get(comments).Want(http.StatusOK).Has(fmt.Sprintf(linkInComment, name), "@"+name).
					Has(fmt.Sprintf(linkInComment, "carl"), "@carl")
				if links := page.Page().Find(".post .prose a.mention").Length(); links != 1 {
					t.Errorf("%d names of the post are links", links)
				}
			}
		}
	}
	wantText := func(t *testing.T) {
		t.Helper()
		for _, reader := range readers {
			reader.Get(path).Want(http.StatusOK).Has(".post .prose", "Thanks, @Ben and @nobody").
				HasNo(".post .prose a.mention").HasNo(fmt.Sprintf(linkInComment, "ben"))
		}
	}
	t.Run("also in the description of the page", func(t *testing.T) {
		s.Anonymous().Get(path).Has(`meta[name="description"][content^="Thanks, @ben and @nobody"]`, "")
	})
	t.Run("by their present name", func(t *testing.T) {
		want(t, "ben")
		ben.Post("/settings/username", "username", "benjamin").Want(http.StatusSeeOther)
		want(t, "benjamin")
	})
	t.Run("when a former name is mentioned", func(t *testing.T) {
		other := publish(ada, "Hello @ben")
		s.Anonymous().Get(other).Has(fmt.Sprintf(linkInPost, "benjamin"), "@benjamin")
	})
	t.Run("except while they are suspended", func(t *testing.T) {
		s.SetSuspended(ben, true)
		wantText(t)
		s.SetSuspended(ben, false)
		want(t, "benjamin")
	})
	t.Run("and to nobody else after their account is deleted", func(t *testing.T) {
		s.Data.Must(s.Data.Store.AccountDeletions.Delete(s.Data.Context(), ben.User.ID))
		wantText(t)
		s.SignUp("ben")
		s.SignUp("benjamin")
		wantText(t)
		another := publish(ada, "Welcome, @ben")
		s.Anonymous().Get(another).Has(fmt.Sprintf(linkInPost, "ben"), "@ben")
	})
}

func TestMentionsAreResolvedWhenATextIsWritten(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	path := publish(ada, "Hello @ben")
	id, _ := domain.PostIDIn(path)
	comments := "/posts/" + id + "/comments"
	t.Run("by an edit of a post", func(t *testing.T) {
		ada.Post("/posts/"+id, "title", "A title", "content", "Hello @ada and @ben", "do", "publish", "revision", "1").
			Want(http.StatusSeeOther)
		ada.Get(path).Has(fmt.Sprintf(linkInPost, "ada"), "").Has(fmt.Sprintf(linkInPost, "ben"), "")
		ada.Get("/posts/" + id + "/edit").HasNo(".mention")
		ada.Get("/posts/"+id+"/versions/1").Has("main", "Hello @ben").HasNo(".mention")
	})
	t.Run("by a change of the title alone they stay", func(t *testing.T) {
		ada.Post("/posts/"+id, "title", "Another", "content", "Hello @ada and @ben", "do", "publish", "revision", "2").
			Want(http.StatusSeeOther)
		ada.Get(s.Data.Post(id).Path()).Has(fmt.Sprintf(linkInPost, "ben"), "")
	})
	t.Run("not for a name that is taken later", func(t *testing.T) {
		other := publish(ada, "Hello @later")
		s.SignUp("later")
		ada.Get(other).Want(http.StatusOK).HasNo(".post .prose .mention")
	})
	t.Run("by comments, replies and their edits, in place and on pages", func(t *testing.T) {
		ben.HTMX().Post(comments, "content", "@ada, @ben!").Want(http.StatusOK).
			Has(".prose a.mention[href='/@ada']", "@ada").Has(".prose a.mention[href='/@ben']", "")
		c := s.Data.Comments(id)[0]
		ada.HTMX().Post(comments, "content", "@ben: yes", "parent", c.ID).Want(http.StatusOK).
			Has(".prose a.mention[href='/@ben']", "@ben")
		ada.Get(webtest.CommentPath(c, "/reply")).Want(http.StatusOK).
			Has(".mention[href='/@ada']", "@ada").Has(".mention[href='/@ben']", "@ben")
		ben.Get(webtest.CommentPath(c, "/edit")).Want(http.StatusOK)
		ben.HTMX().Post(webtest.CommentPath(c, "/edit"), "content", "Only @ada", "began", "").Want(http.StatusOK).
			Has(".prose a.mention[href='/@ada']", "").HasNo(".prose a.mention[href='/@ben']")
		ben.HTMX().Get(webtest.CommentPath(c, "")).Has(".prose a.mention[href='/@ada']", "@ada")
		ben.Get(webtest.DeletePath(c)).Has("main a.mention[href='/@ada']", "@ada")
		moderator := s.SignUpAs("mona", domain.RoleModerator)
		moderator.Get("/posts/"+id+"/comments/"+c.ID+"/report").Want(http.StatusOK).Has(".mention[href='/@ada']", "")
		ada.HTMX().Post("/posts/"+id+"/comments/"+c.ID+"/hide").Want(http.StatusOK).Has(".mention[href='/@ada']", "")
		moderator.Get("/posts/"+id+"/comments/"+c.ID+"/moderate").Want(http.StatusOK).Has(".mention[href='/@ada']", "")
		moderator.Get("/posts/"+id+"/moderate").Want(http.StatusOK).Has(".mention[href='/@ben']", "")
	})
	t.Run("by an edit of a comment, which marks those that it adds", func(t *testing.T) {
		eve := s.SignUp("eve")
		ben.Post(comments, "content", "Thanks, @ada!").Want(http.StatusSeeOther)
		comment := func() domain.Comment {
			list := s.Data.Comments(id)
			return list[slices.IndexFunc(list, func(c domain.Comment) bool {
				return strings.HasPrefix(c.Content, "Thanks")
			})]
		}
		for range 2 {
			c, began := comment(), ""
			if !c.Edited.IsZero() {
				began = c.Edited.Format(time.RFC3339Nano)
			}
			ben.Post(webtest.CommentPath(c, "/edit"), "content", "Thanks, @eve and @ada "+began, "began", began).
				Want(http.StatusSeeOther)
			want := domain.MentionsOf([]domain.Mention{{Name: "eve", UserID: eve.User.ID, Added: true},
				{Name: "ada", UserID: ada.User.ID}})
			if got := comment().Mentions; got != want {
				t.Errorf("edited with %s", got)
			}
		}
	})
	t.Run("by the preview, as if it were published", func(t *testing.T) {
		ada.Post("/preview", "title", "T", "content", "Hello @ben, @nobody and `@ada`").Want(http.StatusOK).
			Has(".prose a.mention[href='/@ben']", "@ben").Has(".prose", "@nobody and @ada")
		if got := s.Data.Post(id).Mentions.List(); len(got) != 2 {
			t.Errorf("the post mentions %v", got)
		}
	})
	t.Run("by the text of a static page", func(t *testing.T) {
		admin := s.SignUpAs("olga", domain.RoleAdministrator)
		edit := admin.Post("/admin/pages", "path", "/about").Want(http.StatusSeeOther).Header.Get("Location")
		admin.Post("/posts", "post", strings.TrimSuffix(strings.TrimPrefix(edit, "/posts/"), "/edit"), "title", "About",
			"content", "Written by @ada", "do", "publish").WantRedirect(http.StatusSeeOther, "/about")
		s.Anonymous().Get("/about").Want(http.StatusOK).Has(".prose a.mention[href='/@ada']", "@ada")
	})
	t.Run("a failure of the storage publishes nothing and keeps the text", func(t *testing.T) {
		before := len(s.Data.Comments(id))
		s.Data.Fail("Users.ByName")
		a := ben.Post(comments, "content", "Precious @ada").Want(http.StatusServiceUnavailable)
		if !strings.Contains(a.Body, "Precious @ada") {
			t.Error("the form lacks the text")
		}
		a = ada.Post("/posts", "title", "T", "content", "Precious @ben", "do", "publish").
			Want(http.StatusServiceUnavailable)
		if !strings.Contains(a.Body, "Precious @ben") {
			t.Error("the editor lacks the text")
		}
		s.Data.Recover("Users.ByName")
		if n := len(s.Data.Comments(id)); n != before {
			t.Errorf("%d comments, before %d", n, before)
		}
	})
	t.Run("feeds and the search have the text as typed", func(t *testing.T) {
		for _, feed := range []string{"/feed.atom", "/feed.json", "/feed.rss"} {
			if a := s.Anonymous().Get(feed).Want(http.StatusOK); !strings.Contains(a.Body, "@ben") ||
				strings.Contains(a.Body, "mention") {
				t.Errorf("%s is %s", feed, a.Body)
			}
		}
	})
}

// The budget of a user bounds the reads that the names in their texts cause.
func TestNamesInATextCountTowardsTheUnitsOfItsAuthor(t *testing.T) {
	accepted := func(content string) (n int) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "units-user=400/1h")
		ada := s.SignUp("ada")
		p := ada.CreatePost("A title", "text")
		for ; n < 100; n++ {
			text := strings.ReplaceAll(content, "#", fmt.Sprint(n, "x"))
			if ada.Post("/posts/"+p.ID+"/comments", "content", text).StatusCode != http.StatusSeeOther {
				return n
			}
		}
		return n
	}
	var names strings.Builder
	for i := range domain.MaxMentions {
		fmt.Fprintf(&names, "@user%d-# ", i)
	}
	plain, mentioning := accepted("# user"), accepted(names.String())
	t.Logf("%d comments, or %d with %d names each", plain, mentioning, domain.MaxMentions)
	if plain < 3 || mentioning == 0 || mentioning >= plain {
		t.Errorf("%d plain comments and %d with names are accepted", plain, mentioning)
	}
}

// Anyone can write many comments with many names, so a page reads a limited number of users.
func TestAPageLinksTheMentionsOfAHundredUsers(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	for i := range 6 {
		var text strings.Builder
		for j := range domain.MaxMentions {
			u, err := domain.NewUser(fmt.Sprintf("user%d-%d", i, j), time.Now())
			s.Data.Must(err)
			s.Data.Must(s.Data.Store.Accounts.Create(s.Data.Context(), u, ""))
			fmt.Fprintf(&text, "@%s ", u.Username)
		}
		ada.Post("/posts/"+p.ID+"/comments", "content", text.String()).Want(http.StatusSeeOther)
	}
	page := s.Anonymous().Get(p.Path()).Want(http.StatusOK)
	page.Has(fmt.Sprintf(linkInComment, "user4-19"), "").HasNo(fmt.Sprintf(linkInComment, "user5-0"))
	if n := page.Page().Find(".mention").Length(); n != 100 {
		t.Errorf("%d mentions are links", n)
	}
}
