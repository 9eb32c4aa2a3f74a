package sample_test

import (
	"bytes"
	"image/jpeg"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/sample"
)

func TestSeedDeterminesTheData(t *testing.T) {
	one, two := sample.New(7, 12, day), sample.New(7, 12, day)
	if !reflect.DeepEqual(slices.Collect(one.Posts()), slices.Collect(two.Posts())) {
		t.Error("two data sets of seed 7 differ")
	}
	other := sample.New(8, 12, day)
	if other.Users[0].ID == one.Users[0].ID {
		t.Error("seeds 7 and 8 make the same user")
	}
}

func TestSampleDataIsValid(t *testing.T) {
	blog := sample.New(1, 150, day)
	taken, ids, looks, posts := map[string]bool{}, map[string]bool{}, map[string]string{}, 0
	words := map[int]int{} // posts by hundreds of words
	for _, u := range blog.Users {
		if err := domain.CheckUsername(u.Username); err != nil {
			t.Errorf("%q: %v", u.Username, err)
		}
		if name, err := domain.CleanDisplayName(u.DisplayName); err != nil || name != u.DisplayName || name == "" {
			t.Errorf("display name %q: %v", u.DisplayName, err)
		}
		if p, err := domain.CleanProfile(u.Profile); err != nil || p != u.Profile || p.Bio == "" {
			t.Errorf("profile %+v: %v", u.Profile, err)
		}
		if taken[u.Username] || ids[u.ID] || !domain.IsUserID(u.ID) {
			t.Errorf("user %q %q is not unique", u.ID, u.Username)
		}
		if other, taken := looks[names.Skeleton(u.Username)]; taken {
			t.Errorf("%s and %s look alike", u.Username, other)
		}
		taken[u.Username], ids[u.ID], looks[names.Skeleton(u.Username)] = true, true, u.Username
	}
	perAuthor, versions := map[string]int{}, 0
	for p := range blog.Posts() {
		posts++
		perAuthor[p.AuthorID]++
		title, content, err := domain.CleanPost(p.Title, p.Content)
		if err != nil || title != p.Title || content != p.Content {
			t.Fatalf("post %q is not stored unchanged by a form: %v", p.Title, err)
		}
		if tags, err := domain.CleanTags(string(p.Tags)); err != nil || tags != p.Tags || tags == "" {
			t.Fatalf("tags %q are not stored unchanged by a form: %v", p.Tags, err)
		}
		last := p.Created
		for i, v := range append(p.Versions, p.PastVersion()) {
			if v.PostID != p.ID || v.Revision != i+1 || v.Saved.Before(last) || v.Content == "" || v.Title == "" ||
				v.Tags == "" {
				t.Fatalf("version %d of %s is %+v", i, p.ID, v)
			}
			last = v.Saved
		}
		versions += len(p.Versions)
		if !domain.IsID(p.ID) || ids[p.ID] {
			t.Fatalf("post id %q", p.ID)
		}
		ids[p.ID] = true
		if len(p.Comments) > sample.MaxComments || len(p.Likes) > sample.MaxLikes {
			t.Fatalf("%d comments, %d likes", len(p.Comments), len(p.Likes))
		}
		likers := map[string]bool{}
		for _, l := range p.Likes {
			if likers[l.UserID] || l.Created.Before(p.Created) {
				t.Fatalf("like of %s by %s", p.ID, l.Username)
			}
			likers[l.UserID] = true
		}
		for _, c := range p.Comments {
			if c.PostID != p.ID || c.Created.Before(p.Created) || ids[c.ID] {
				t.Fatalf("comment %s of %s", c.ID, p.ID)
			}
			ids[c.ID] = true
			if c.Created.After(day.Add(time.Second)) {
				t.Fatalf("comment at %s", c.Created)
			}
		}
		checkThreads(t, p)
		words[len(strings.Fields(p.Content))/100*100]++
	}
	if words[0] == 0 || len(words) < 12 {
		t.Errorf("posts by hundreds of words: %v", words)
	}
	if versions < posts/20 || versions > posts/3 {
		t.Errorf("%d versions of %d posts", versions, posts)
	}
	drafts := blog.Drafts()
	if len(drafts) != 2 || drafts[0].Revision != 0 || !ids[drafts[1].PostID] {
		t.Errorf("drafts %+v", drafts)
	}
	for _, d := range drafts {
		if err := domain.CheckDraft(d); err != nil || d.AuthorID != blog.Users[0].ID || d.Title == "" {
			t.Errorf("draft %+v: %v", d, err)
		}
	}
	if posts != blog.CountPosts() {
		t.Errorf("%d posts, CountPosts says %d", posts, blog.CountPosts())
	}
	for id, n := range perAuthor {
		if n < sample.MinPosts || n > sample.MaxPosts {
			t.Errorf("user %s has %d posts", id, n)
		}
	}
}

// checkThreads checks that comments read like a conversation: another user begins each thread, and replies follow their
// parent and count.
func checkThreads(t *testing.T, p sample.Post) {
	t.Helper()
	parents, replies := map[string]domain.Comment{}, map[string]int{}
	last := p.Created
	for _, c := range p.Comments {
		if c.Created.Before(last) {
			t.Fatalf("comment %s is older than the one before it", c.ID)
		}
		last = c.Created
		if c.ParentID == "" {
			if parents[c.ID] = c; c.AuthorID == p.AuthorID {
				t.Fatalf("the author begins a conversation about %s", p.ID)
			}
			continue
		}
		replies[c.ParentID]++
		if parent := parents[c.ParentID]; !parent.Created.Equal(c.ParentCreated) || parent.ID == "" {
			t.Fatalf("comment %+v replies to %+v", c, parent)
		}
	}
	for id, parent := range parents {
		if parent.Replies != replies[id] {
			t.Fatalf("comment %s has %d replies, says %d", id, replies[id], parent.Replies)
		}
	}
}

// day is the day of the data sets.
var day = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func TestOnlyDatesDependOnTheDay(t *testing.T) {
	later := 72 * time.Hour
	one, two := sample.New(3, 4, day), sample.New(3, 4, day.Add(later))
	if got := two.Users[0].Created.Sub(one.Users[0].Created); got != later {
		t.Errorf("the first user signed up %s later", got)
	}
	next, stop := iter.Pull(two.Posts())
	defer stop()
	newest := time.Time{}
	for p := range one.Posts() {
		other, _ := next()
		if other.ID != p.ID || other.Title != p.Title || other.Content != p.Content ||
			other.Created.Sub(p.Created) != later {
			t.Fatalf("post %s is %s, %s later", p.ID, other.ID, other.Created.Sub(p.Created))
		}
		if newest.Before(p.Created) {
			newest = p.Created
		}
	}
	if newest.After(day) || newest.Before(day.AddDate(0, -1, 0)) {
		t.Errorf("the newest post is from %s", newest)
	}
}

func TestUsersHaveDrawings(t *testing.T) {
	blog, avatars := sample.New(1, 10, day), 0
	for i := range blog.Users {
		avatar, covers := blog.Draw(i)
		if len(covers) == 0 {
			t.Fatalf("user %d has no covers", i)
		}
		again, _ := blog.Draw(i)
		if !bytes.Equal(avatar, again) {
			t.Error("the same user has two avatars")
		}
		if avatar != nil {
			avatars++
		}
		for _, c := range covers {
			if _, err := jpeg.Decode(bytes.NewReader(c.File)); err != nil || c.Alt == "" || len(c.File) > 100<<10 {
				t.Errorf("cover %q of %d bytes: %v", c.Alt, len(c.File), err)
			}
		}
	}
	if avatars < 5 || avatars == 10 {
		t.Errorf("%d of 10 users have an avatar", avatars)
	}
}

func TestPostsShareTheCoversOfTheirAuthor(t *testing.T) {
	blog := sample.New(1, 6, day)
	cover := domain.Cover{Image: domain.NewImageName("u", nil, 96, 54, domain.ExtJPEG), Alt: "A sea"}
	blog.Covers[2] = []domain.Cover{cover}
	posts, covered := 0, 0
	for p := range blog.Posts() {
		switch mine := p.AuthorID == blog.Users[2].ID; {
		case p.Details.Cover == "" && mine:
			posts++
		case mine && p.Details.Cover == cover.Image.String() && p.Details.CoverAlt == cover.Alt:
			posts, covered = posts+1, covered+1
		case p.Details.Cover != "":
			t.Errorf("the cover of a post is %+v", p.Details)
		}
	}
	if covered < posts/2 || covered == posts {
		t.Errorf("%d of %d posts have a cover", covered, posts)
	}
}

func TestWelcomePostsAreTheSameInAllLanguages(t *testing.T) {
	want, err := sample.WelcomePosts("u", sample.DefaultLanguage)
	if err != nil || len(want) != 8 {
		t.Fatalf("%d posts, %v", len(want), err)
	}
	pictures := map[string]bool{}
	for _, language := range []string{"en", "cs", "fr", "tr"} {
		list, err := sample.WelcomePosts("u", language)
		if err != nil || len(list) != len(want) {
			t.Fatalf("%s has %d posts, %v", language, len(list), err)
		}
		foreign := 0
		for i, p := range list {
			title, _, err := domain.CleanPost(p.Title, p.Content)
			if err != nil || title != p.Title || strings.Contains(p.Content, "title: ") {
				t.Errorf("%s: post %q is not as a form stores it: %v", language, p.Title, err)
			}
			if tags, err := domain.CleanTags(p.Tags); err != nil || tags == "" {
				t.Errorf("%s: tags %q: %v", language, p.Tags, err)
			}
			if details, err := p.Details.Clean(); err != nil || details != p.Details {
				t.Errorf("%s: details %+v: %v", language, p.Details, err)
			}
			if p.ID != want[i].ID || p.Picture != want[i].Picture ||
				p.Details.SeriesPart != want[i].Details.SeriesPart ||
				(p.Details.Series == "") != (want[i].Details.Series == "") {
				t.Errorf("%s: post %d is %+v", language, i, p)
			}
			if alt, err := domain.CleanAlt(p.Alt); err != nil || alt != p.Alt || alt == "" ||
				strings.Contains(p.Showing("/x"), "{picture}") {
				t.Errorf("%s: the picture of %q is %q: %v", language, p.Title, p.Alt, err)
			}
			if p.Details.Language != language {
				foreign++
			}
			pictures[p.Picture] = true
		}
		if foreign != 1 {
			t.Errorf("%s: %d posts are in another language", language, foreign)
		}
	}
	if len(pictures) != len(want) {
		t.Errorf("%d different pictures", len(pictures))
	}
}

// Sites of earlier releases have the first three posts. They can be deleted together only if their ids stay.
func TestIdsOfWelcomePostsStay(t *testing.T) {
	list, err := sample.WelcomePosts("u.ada", "en")
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"df9ah5qjb66iq5aq9wtaqck3ep", "vxxiapapssig9qi4zf4tj6na7f",
		"rzwwvuyfp3myhjbd5qbaqhc53t"} {
		if list[i].ID != id {
			t.Errorf("post %d has the id %s, want %s", i, list[i].ID, id)
		}
	}
}
