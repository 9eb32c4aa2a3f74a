package domain

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
)

// Draft is what an author has typed of a post and not published: as typed, so that
// nothing is lost, also while it breaks the rules of a post. There is at most one for
// each post, in the author's partition, whether or not there is a post yet.
type Draft struct {
	PostID   string // of the post it is to become, or is a change of
	AuthorID string
	Title    string
	Content  string
	Tags     string // as typed
	Details  Details
	Slug     string // that the post gets, see Post; empty of most
	Status   Status // of the post it becomes: Published or Unlisted
	// Revision is that of the post it began from, 0: there is no post yet.
	Revision int
	// Version counts the times it was saved. Whoever saves names the version that he
	// began from, so that two tabs do not overwrite each other.
	Version int
	Begun   time.Time
	Saved   time.Time
	// Publish is when it publishes itself, zero: never.
	Publish time.Time
	// Publishing says that it is being published just now. Nothing can change it any
	// more, so that what is published is what was meant to be, and once.
	Publishing bool
	// Problem is why it could not be published at its time, for its author to read.
	// Saving it again, or giving it another time, takes it away.
	Problem string
	// Preview is the secret of the link by which others may read it, empty: none.
	Preview string
	// Held holds the post from when it is published, if nothing does yet. Saving does not
	// change it: see Drafts.Publish and Drafts.Schedule of the storage.
	Held Hold
}

// DraftsPerPage is how many rows a page of the list of drafts shows.
const DraftsPerPage = 20

// DraftOf begins a change of a post, which is at version 0 until it is saved.
func DraftOf(p Post, now time.Time) Draft {
	d := Draft{PostID: p.ID, AuthorID: p.AuthorID, Title: p.Title, Content: p.Content,
		Tags: strings.Join(p.Tags.List(), ", "), Details: p.Details, Status: p.Status, Revision: p.Revision,
		Begun: Timestamp(now), Saved: Timestamp(now)}
	if d.Status == Unpublished {
		d.Status = Published
	}
	return d
}

// CheckDraft bounds what a draft may hold: somewhat more than a post, so that a text that is too
// long for one is saved all the same. The error, of kind Invalid, names each bad field.
func CheckDraft(d Draft) error {
	errs := fieldErrors{}
	tooLong := func(field, what, s string, most int) {
		if len(s) > most*plaintext.BytesPerCharacter {
			errs.add(field, what+" is too long to save.")
		}
	}
	tooLong("title", "The title", d.Title, 10*MaxTitle)
	if StoredBytes(d.Content) > MaxDraftContent {
		errs.add("content", "The post is too long to save.")
	}
	tooLong("tags", "The list of tags", d.Tags, 10*MaxTags*MaxTag)
	if d.Status != Published && d.Status != Unlisted {
		errs.add("status", "Choose public or unlisted.")
	}
	if d.Revision < 0 {
		errs.add("revision", "There is no such revision.")
	}
	return errs.err()
}

// Post is the post that the draft becomes, of which there is none yet. The error names
// each field that breaks a rule of posts.
func (d Draft) Post(author User, now time.Time) (Post, error) {
	p, err := NewPost(author, d.Title, d.Content, now)
	tags, tagsErr := CleanTags(d.Tags)
	details, detailsErr := d.Details.clean()
	if err := JoinErrors(err, tagsErr, detailsErr); err != nil {
		return Post{}, err
	}
	p.ID, p.Tags, p.Details, p.Status, p.Slug, p.Held = d.PostID, tags, details, d.Status, d.Slug, d.Held
	return p, nil
}

// Edit is the change that the draft makes of its post. The error names each field that
// breaks a rule of posts.
func (d Draft) Edit(now time.Time) (Edit, error) {
	e, err := NewEdit(d.PostID, d.Revision, d.Title, d.Content, now)
	tags, tagsErr := CleanTags(d.Tags)
	details, detailsErr := d.Details.clean()
	if err := JoinErrors(err, tagsErr, detailsErr); err != nil {
		return Edit{}, err
	}
	e.Tags, e.Details, e.Status, e.Held = tags, details, d.Status, d.Held
	return e, nil
}

// SameText tells whether two drafts would become the same post: as typed, not as
// published.
func (d Draft) SameText(other Draft) bool {
	return d.Title == other.Title && d.Content == other.Content && d.Tags == other.Tags && d.Details == other.Details && d.Status == other.Status
}

// Changes tells whether publishing the draft would make another post of p than it is. A
// draft that breaks a rule of posts would.
func (d Draft) Changes(p Post) bool {
	e, err := d.Edit(p.Created)
	return err != nil || e.Rewrites(p) || e.Status != p.Status
}

// Rewrites is Changes, whoever is to find the post.
func (d Draft) Rewrites(p Post) bool {
	d.Status = p.Status
	return d.Changes(p)
}

// Leftover tells that the draft has been published as p, and only its deletion did not
// come to pass. Nothing is lost with it.
func (d Draft) Leftover(p Post) bool {
	return p.Revision > d.Revision && d.Publish.IsZero() && !d.Changes(p)
}

// Reason is what an author reads of why something could not be done: the error's message
// and those of its fields.
func Reason(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return reasonUnknown
	}
	var messages []string
	if e.Message != "" {
		messages = append(messages, e.Message)
	}
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		messages = append(messages, e.Fields[field])
	}
	return cmp.Or(strings.Join(messages, " "), reasonUnknown)
}

const reasonUnknown = "Something went wrong on our side."

// Shared is what a preview link leads to: a draft or, once that is published, the post.
type Shared struct {
	Draft  Draft
	Author User
	Post   *Post // nil: it is a draft yet
}

// PostVersion is a past state of a post.
type PostVersion struct {
	PostID   string
	Revision int
	Title    string
	Content  string
	Tags     Tags
	Details  Details
	Saved    time.Time // when it became the post's text
}

// VersionsPerPage is how many rows a page of a post's past versions shows.
const VersionsPerPage = 20
