package domain

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Draft is the unpublished text of a post, exactly as its author typed it, even if it breaks the rules for posts.
// There is at most one draft per post. It is stored in the author's partition, also before the post exists.
type Draft struct {
	PostID   string // the post that it becomes or changes
	AuthorID string
	Title    string
	Content  string
	Tags     string // as typed
	Details  Details
	Slug     string // the slug of the future post: see Post. Usually empty
	Status   Status // the status of the future post: Published or Unlisted
	// Revision is the post's revision that the draft began from, or 0 if there is no post yet.
	Revision int
	// Version counts how often the draft was saved. A save names the version that it began from, so that two browser
	// tabs do not overwrite each other.
	Version int
	Begun   time.Time
	Saved   time.Time
	// Publish is when the draft is to be published automatically, or zero.
	Publish time.Time
	// Publishing reports that the draft is being published right now. It cannot be changed any more, so that exactly
	// this text is published, and only once.
	Publishing bool
	// Problem is why the scheduled publication failed, as its author reads it. Saving or rescheduling the draft
	// clears it; renaming its series keeps it.
	Problem locale.Stored
	// Preview is the secret in the link by which others can read the draft, or empty.
	Preview string
	// Bytes is what the stored draft counts towards DraftBytesQuota. It is 0 for a static page, and for a draft that an
	// earlier release saved and that is not counted yet.
	Bytes int64
	// Held is applied to the post when the draft is published, unless the post is held already. Saving does not
	// change it: see Drafts.Publish and Drafts.Schedule in package cosmos.
	Held Hold
}

// DraftsPerPage is the number of drafts on a page.
const DraftsPerPage = 20

// Limits of a user's drafts. Drafts beyond them cannot be begun, except by administrators and for posts that exist. A
// stored draft can always be saved. So all drafts of a user that change no post have at most DraftQuota times
// MaxDraftContent bytes, which is 450 MB.
const (
	DraftQuota      = 300
	DraftBytesQuota = 100 << 20
)

// draftStep is the unit in which the bytes of a draft are counted. A draft seldom grows by so much between two saves,
// so few saves change the count.
const draftStep = 16 << 10

// CountedBytes returns what the text counts towards DraftBytesQuota: the bytes of title and content, in whole steps.
// The drafts of static pages are not counted.
func (d Draft) CountedBytes() int64 {
	if d.AuthorID == SiteUserID {
		return 0
	}
	return int64(len(d.Title)+len(d.Content))/draftStep*draftStep + draftStep
}

// DraftOf returns a draft that begins a change of a post. Its version is 0 until it is saved.
func DraftOf(p Post, now time.Time) Draft {
	d := Draft{PostID: p.ID, AuthorID: p.AuthorID, Title: p.Title, Content: p.Content,
		Tags: strings.Join(p.Tags.List(), ", "), Details: p.Details, Status: p.Status, Revision: p.Revision,
		Begun: Timestamp(now), Saved: Timestamp(now)}
	if d.Status == Unpublished {
		d.Status = Published
	}
	return d
}

// CheckDraft limits the size of a draft. The limits are higher than those of a post, so that a text that is too long
// can still be saved. The error is Invalid and names each invalid field.
func CheckDraft(d Draft) error {
	errs := fieldErrors{}
	tooLong := func(field string, message locale.Message, s string, most int) {
		if len(s) > most*plaintext.BytesPerCharacter {
			errs.addMessage(field, message)
		}
	}
	tooLong("title", locale.M("The title is too long to save."), d.Title, 10*MaxTitle)
	if StoredBytes(d.Content) > MaxDraftContent {
		errs.add("content", "The post is too long to save.")
	}
	tooLong("tags", locale.M("The list of tags is too long to save."), d.Tags, 10*MaxTags*MaxTag)
	for _, f := range detailFields {
		if len(f.Of(d.Details)) > f.maxDraft {
			errs.add(f.Name, "This is too long to save.")
		}
	}
	if d.Status != Published && d.Status != Unlisted {
		errs.add("status", "Choose public or unlisted.")
	}
	if d.Revision < 0 {
		errs.add("revision", "There is no such version.")
	}
	return errs.err()
}

// Post returns the new post that the draft becomes. The error names each invalid field.
func (d Draft) Post(author User, now time.Time) (Post, error) {
	p, err := NewPost(author, d.Title, d.Content, now)
	tags, tagsErr := CleanTags(d.Tags)
	details, detailsErr := d.Details.Clean()
	if err := JoinErrors(err, tagsErr, detailsErr); err != nil {
		return Post{}, err
	}
	p.ID, p.Tags, p.Details, p.Status, p.Slug, p.Held = d.PostID, tags, details, d.Status, d.Slug, d.Held
	p.News = !p.IsPage()
	return p, nil
}

// Edit returns the edit that the draft makes of its post. The error names each invalid field.
func (d Draft) Edit(now time.Time) (Edit, error) {
	e, err := NewEdit(d.PostID, d.Revision, d.Title, d.Content, now)
	tags, tagsErr := CleanTags(d.Tags)
	details, detailsErr := d.Details.Clean()
	if err := JoinErrors(err, tagsErr, detailsErr); err != nil {
		return Edit{}, err
	}
	e.Tags, e.Details, e.Status, e.Held = tags, details, d.Status, d.Held
	return e, nil
}

// SameText reports whether two drafts have the same title, content, tags, details and status, as typed.
func (d Draft) SameText(other Draft) bool {
	return d.Title == other.Title && d.Content == other.Content && d.Tags == other.Tags && d.Details == other.Details &&
		d.Status == other.Status
}

// Changes reports whether publishing the draft would change the post p. An invalid draft counts as a change.
func (d Draft) Changes(p Post) bool {
	e, err := d.Edit(p.Created)
	return err != nil || e.Rewrites(p) || e.Status != p.Status
}

// Rewrites reports whether publishing the draft would change more of the post p than its status.
func (d Draft) Rewrites(p Post) bool {
	d.Status = p.Status
	return d.Changes(p)
}

// Leftover reports that the draft was published as p but was not deleted afterwards. It can be deleted without loss.
func (d Draft) Leftover(p Post) bool {
	return p.Revision > d.Revision && d.Publish.IsZero() && !d.Changes(p)
}

// Reason returns an error's message and those of its fields as one text for the author.
func Reason(err error) locale.Message {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return reasonUnknown()
	}
	reason := e.Message
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		if message := e.Fields[field]; reason.IsZero() {
			reason = message
		} else {
			reason = locale.M("{first} {second}", "first", reason, "second", message)
		}
	}
	if reason.IsZero() {
		return reasonUnknown()
	}
	return reason
}

func reasonUnknown() locale.Message { return locale.M("Something went wrong on our side.") }

// Shared is the target of a preview link: the draft or, after its publication, the post.
type Shared struct {
	Draft  Draft
	Author User
	Post   *Post // nil before the publication, and while the post is in review
	// InReview reports that the post is in review. The draft is then the post's text or a later draft of it.
	InReview bool
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

// VersionsPerPage is the number of past versions on a page.
const VersionsPerPage = 20

// ScheduledItem is an entry of a schedule: something to be done at a time. With a post, that draft of the user's is to
// be published, or that post is to be deleted from the trash. Without one the user's account is to be deleted, or work
// for it continues. The draft, post or user is authoritative: its time may have changed since.
type ScheduledItem struct {
	UserID string
	PostID string // of a draft, or of a post in the trash
	At     time.Time
	ETag   string // of the item as it was read
	// Revision is that of the post whose embeds are fetched, and Attempts is how often that was tried.
	Revision, Attempts int
}
