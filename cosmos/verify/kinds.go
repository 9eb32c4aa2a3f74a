package verify

import "inkfeed/cosmos/schema"

// kindsOf says, by the values of the property type, which items a container holds and
// what verify notes and checks of each. What can be judged only when all was read is
// kept in the audit, and checked at the end of Verify. subject names the item, in what
// is reported.
type kindsOf map[string]func(a *audit, subject string, i storedItem)

// userKinds are the items of users. They are read before those of posts.
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
		schema.TypeDeletedPost:     (*audit).noteTombstone,
		schema.TypeImage:           (*audit).noteImage,
		schema.TypeAvatar:          (*audit).noteImage,
		schema.TypeDraft:           (*audit).noteDraft,
		schema.TypePreview:         (*audit).notePreview,
		schema.TypeImport:          (*audit).noteImport,
		schema.TypeImportJob:       (*audit).noteImportJob,
		schema.TypeBlock:           (*audit).noteBlock,
		schema.TypeBookmark:        (*audit).noteBookmarkCopy,
		schema.TypeDeletedBookmark: (*audit).noteBookmarkTombstone,
	}
}

// postKinds are the items of posts.
func postKinds() kindsOf {
	return kindsOf{
		schema.TypePost:     (*audit).notePost,
		schema.TypeComment:  (*audit).noteComment,
		schema.TypeLike:     (*audit).noteLike,
		schema.TypeBookmark: (*audit).noteBookmark,
		schema.TypeVersion:  (*audit).noteVersion,
	}
}

// checkStays holds of an item that it does not go away by itself.
func (a *audit) checkStays(subject string, i storedItem) {
	if i.expires() {
		a.violation(ruleExpiry, subject, "in %d seconds", i.TTL)
	}
}
