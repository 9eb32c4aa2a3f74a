package verify

import (
	"bytes"
	"encoding/json"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// kindsOf maps the types of items in a container to the functions that record and check them. The audit keeps
// facts that can be judged only after everything was read, and Verify checks them at the end. subject names the
// item in violations.
type kindsOf map[string]func(a *audit, subject string, i storedItem)

// userKinds returns the kinds of items in users, which are read before those in posts.
func userKinds() kindsOf {
	return kindsOf{
		schema.TypeUser:            (*audit).noteUser,
		schema.TypeCredentials:     (*audit).noteCredentials,
		schema.TypeUsername:        (*audit).noteName,
		schema.TypeAdministrators:  (*audit).noteAdministrators,
		schema.TypeEmail:           (*audit).noteEmail,
		schema.TypeSkeleton:        (*audit).noteSkeleton,
		schema.TypePost:            (*audit).noteCopy,
		schema.TypeUnlistedPost:    (*audit).noteCopy,
		schema.TypeUnpublishedPost: (*audit).noteCopy,
		schema.TypeHiddenPost:      (*audit).noteCopy,
		schema.TypeTrashedPost:     (*audit).noteCopy,
		schema.TypeDeletedPost:     (*audit).noteTombstone,
		schema.TypeImage:           (*audit).noteImage,
		schema.TypeAvatar:          (*audit).noteImage,
		schema.TypeThumbnail:       (*audit).noteImage,
		schema.TypeDraft:           (*audit).noteDraft,
		schema.TypePreview:         (*audit).notePreview,
		schema.TypeImport:          (*audit).noteImport,
		schema.TypeImportJob:       (*audit).noteImportJob,
		schema.TypeBlock:           (*audit).noteBlock,
		schema.TypeFollow:          (*audit).noteFollow,
		schema.TypeDeletedFollow:   (*audit).noteFollow,
		schema.TypeFollower:        (*audit).noteFollower,
		schema.TypeDeletedFollower: (*audit).noteFollower,
		schema.TypeFollowers:       (*audit).noteFollowers,
		schema.TypeMark:            (*audit).noteMark,
		schema.TypeSubscriber:      (*audit).noteSubscriber,
		schema.TypeReceiver:        (*audit).noteReceiver,
		schema.TypeDeletedReceiver: (*audit).noteExpiring,
		schema.TypeNewsletter:      (*audit).noteMailing,
		schema.TypeMailing:         (*audit).noteMailing,
		schema.TypeTold:            (*audit).noteExpiring,
		schema.TypeDigestZone:      (*audit).noteZone,
		schema.TypeNotification:    (*audit).noteNotification,
		schema.TypeMutes:           (*audit).noteMutes,
		schema.TypeOutgoing:        (*audit).noteOutgoing,
		schema.TypeBookmark:        (*audit).noteBookmarkCopy,
		schema.TypeDeletedBookmark: (*audit).noteBookmarkTombstone,
	}
}

// postKinds returns the kinds of items in posts.
func postKinds() kindsOf {
	return kindsOf{
		schema.TypePost:     (*audit).notePost,
		schema.TypePage:     (*audit).notePage,
		schema.TypeComment:  (*audit).noteComment,
		schema.TypeLike:     (*audit).noteLike,
		schema.TypeBookmark: (*audit).noteBookmark,
		schema.TypeVersion:  (*audit).noteVersion,

		schema.TypeUsedAddress:    (*audit).noteUsedAddress,
		schema.TypeDeletedComment: (*audit).noteDeletedComment,
	}
}

// checkStays checks that an item does not expire.
func (a *audit) checkStays(subject string, i storedItem) {
	if i.expires() {
		a.violation(ruleExpiry, subject, "it expires in %d seconds", i.TTL)
	}
}

// storedDetails are the properties of a post or copy that no query asks for.
type storedDetails struct {
	Edits    int    `json:"edits"` // set on copies only, as is EditDate; the revision is one more
	EditDate *date  `json:"editDate"`
	Avatar   string `json:"avatar"`
	plaintext.Length
	Picture     domain.Cover `json:"picture"`
	SeriesPlace string       `json:"seriesPlace"` // set on copies only
	domain.Details
}

// storedTags are the tags of a post. The tags of a draft are a text as typed, which no rule is about.
type storedTags []string

func (t *storedTags) UnmarshalJSON(body []byte) error {
	if bytes.HasPrefix(body, []byte(`"`)) {
		return nil
	}
	return json.Unmarshal(body, (*[]string)(t))
}

func (t storedTags) Domain() domain.Tags { return domain.TagsOf(t) }
