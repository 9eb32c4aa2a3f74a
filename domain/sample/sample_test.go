package sample_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/sample"
)

func TestSeedDeterminesTheData(t *testing.T) {
	one, two := sample.New(7, 12), sample.New(7, 12)
	if !reflect.DeepEqual(slices.Collect(one.Posts()), slices.Collect(two.Posts())) {
		t.Error("two data sets of seed 7 differ")
	}
	other := sample.New(8, 12)
	if other.Users[0].ID == one.Users[0].ID {
		t.Error("seeds 7 and 8 make the same user")
	}
}

func TestSampleDataIsValid(t *testing.T) {
	blog := sample.New(1, 150)
	taken, ids, looks, posts := map[string]bool{}, map[string]bool{}, map[string]string{}, 0
	for _, u := range blog.Users {
		if err := domain.CheckUsername(u.Username); err != nil {
			t.Errorf("%q: %v", u.Username, err)
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
		}
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

func TestSampleUsersSignedUpBeforeRealUsers(t *testing.T) {
	for seed := range uint64(5) {
		for _, u := range sample.New(seed, 200).Users {
			if !u.Created.Before(sample.UsersEnd()) {
				t.Errorf("%s signed up at %s", u.Username, u.Created)
			}
		}
	}
	if !sample.UsersEnd().Before(time.Now()) {
		t.Errorf("sample users end at %s", sample.UsersEnd())
	}
}
