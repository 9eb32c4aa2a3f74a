package webtest

import (
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
)

// CreateTaggedPost is CreatePost with tags.
func (v *Visitor) CreateTaggedPost(title, tags string) domain.Post {
	v.T.Helper()
	p := v.CreatePost(title, "text")
	clean, err := domain.CleanTags(tags)
	if err != nil {
		v.T.Fatal(err)
	}
	return v.UpdatePost(p, func(p *domain.Post) { p.Tags = clean })
}

// UpdatePost changes a post in the store.
func (v *Visitor) UpdatePost(p domain.Post, change func(*domain.Post)) domain.Post {
	v.T.Helper()
	v.ChangePost(p.ID, change)
	return v.Data.Post(p.ID)
}

// ChangePost rewrites a stored post directly. Its copies are updated.
func (s *Site) ChangePost(id string, change func(*domain.Post)) {
	s.T.Helper()
	p := s.Data.Post(id)
	listed := p.Listed()
	change(&p)
	s.Data.ChangeItem("posts", id, id, func(item map[string]any) {
		item["title"], item["content"], item["tags"] = p.Title, p.Content, p.Tags.List()
		item["revision"], item["version"] = p.Revision, item["version"].(float64)+1
		item["likeCount"], item["commentCount"] = p.LikeCount, p.CommentCount
		item["creationDate"] = p.Created
		if listed && !p.Listed() {
			item["withdrawn"] = true // makes the projector remove the copies from the lists
		}
		for property, value := range map[string]any{"status": p.Status, "held": p.Held, "editDate": p.Edited} {
			if delete(item, property); !reflect.ValueOf(value).IsZero() {
				item[property] = value
			}
		}
	})
}

// CreatePost stores a post of the visitor directly. Each post of a site is a minute newer than the one before.
func (v *Visitor) CreatePost(title, content string) domain.Post {
	v.T.Helper()
	return v.CreatePostWith(title, content, func(*domain.Post) {})
}

// CreatePostWith is CreatePost with a change before the post is stored.
func (v *Visitor) CreatePostWith(title, content string, change func(*domain.Post)) domain.Post {
	v.T.Helper()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(v.Data.postsMade) * time.Minute)
	v.Data.postsMade++
	p, err := domain.NewPost(v.User, title, content, at)
	if err != nil {
		v.T.Fatal(err)
	}
	change(&p)
	v.Data.Must(v.Data.Store.Posts.Create(v.Data.Context(), p))
	return p
}

// CreateComments stores comments of the visitor directly.
func (v *Visitor) CreateComments(p domain.Post, contents ...string) []domain.Comment {
	v.T.Helper()
	var made []domain.Comment
	for i, content := range contents {
		c, err := domain.NewComment(v.User, p.ID, content, p.Created.Add(time.Duration(i+1)*time.Minute))
		if err != nil {
			v.T.Fatal(err)
		}
		_, err = v.Data.Store.Posts.AddComment(v.Data.Context(), c)
		v.Data.Must(err)
		made = append(made, c)
	}
	return made
}

// CommentTexts returns n different texts.
func CommentTexts(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = "comment number " + string(rune('a'+i%26)) + strings.Repeat("i", i/26+1)
	}
	return texts
}

// Reply stores a reply to a comment directly.
func (v *Visitor) Reply(to domain.Comment, content string) domain.Comment {
	v.T.Helper()
	c, err := domain.NewReply(v.User, to, content, time.Now())
	if err == nil {
		_, err = v.Data.Store.Posts.AddComment(v.T.Context(), c)
	}
	if err != nil {
		v.T.Fatal(err)
	}
	return c
}

// CommentPath returns the address of an action on a comment.
func CommentPath(c domain.Comment, action string) string {
	return "/posts/" + c.PostID + "/comments/" + c.ID + action
}

// DeletePath returns the address of the form that deletes a comment.
func DeletePath(c domain.Comment) string {
	return "/posts/" + c.PostID + "/comments/" + c.ID + "/delete"
}

// NewPostID returns the id that the visitor's form for a new post gets.
func (v *Visitor) NewPostID() string {
	v.T.Helper()
	return v.Get("/new").Want(http.StatusOK).Value("post")
}

// CreateDraft stores a draft of the visitor directly.
func (v *Visitor) CreateDraft(title, content, tags string) domain.Draft {
	v.T.Helper()
	d, err := v.Data.Store.Drafts.Save(v.Data.Context(), domain.Draft{PostID: domain.NewID(), AuthorID: v.User.ID,
		Title: title, Content: content, Tags: tags})
	if err != nil {
		v.T.Fatal(err)
	}
	return d
}

// ChangeDraft changes the stored item of a draft directly.
func (d *Database) ChangeDraft(v *Visitor, postID string, change func(item map[string]any)) {
	d.T.Helper()
	for _, draft := range d.Items("users", "draft") {
		if draft["userId"] == v.User.ID && draft["postId"] == postID {
			d.ChangeItem("users", v.User.ID, draft["id"].(string), change)
			return
		}
	}
	d.T.Fatalf("%s has no draft of the post %s", v.User.Username, postID)
}

// EditPost publishes another text of a post directly in the store.
func (d *Database) EditPost(author *Visitor, postID, title, content string) error {
	edit, err := domain.NewEdit(postID, d.Post(postID).Revision, title, content, time.Now())
	if err == nil {
		_, err = d.Store.Posts.Edit(d.Context(), edit, author.User.ID)
	}
	return err
}

// FormFields returns the fields that a browser would send with the form of a post on a page, as alternating names and
// values. The given fields replace those of the form.
func FormFields(a *Response, fields ...string) []string {
	a.t.Helper()
	var all []string
	form := a.Page().Find(`main form:has([name="content"])`).First()
	inputs := form.Find(`textarea[name], select[name], input[name]:not([type="file"])`)
	inputs.Each(func(_ int, field *goquery.Selection) {
		if _, checked := field.Attr("checked"); field.AttrOr("type", "") == "radio" && !checked {
			return
		}
		value := field.AttrOr("value", "")
		if goquery.NodeName(field) == "textarea" {
			value = field.Text()
		}
		if goquery.NodeName(field) == "select" {
			value = field.Find("option[selected]").AttrOr("value", "")
		}
		all = append(all, field.AttrOr("name", ""), value)
	})
	return append(all, fields...)
}
