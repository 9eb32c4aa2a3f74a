package cosmos

// kindsOf says, by the values of the property type, which items a container holds and
// what verify notes and checks of each. What can be judged only when all was read is
// kept in the audit, and checked at the end of Verify. subject names the item, in what
// is reported.
type kindsOf map[string]func(a *audit, subject string, i storedItem)

// userKinds are the items of users. They are read before those of posts.
func userKinds() kindsOf {
	return kindsOf{
		typeUser:            (*audit).noteUser,
		typeCredentials:     (*audit).noteCredentials,
		typeUsername:        (*audit).noteName,
		typeAdministrators:  (*audit).noteAdministrators,
		typeEmail:           (*audit).noteEmail,
		typeSkeleton:        (*audit).noteSkeleton,
		typePost:            (*audit).noteCopy,
		typeUnlistedPost:    (*audit).noteCopy,
		typeUnpublishedPost: (*audit).noteCopy,
		typeHiddenPost:      (*audit).noteCopy,
		typeDeletedPost:     (*audit).noteTombstone,
		typeImage:           (*audit).noteImage,
		typeAvatar:          (*audit).noteImage,
		typeDraft:           (*audit).noteDraft,
		typePreview:         (*audit).notePreview,
		typeImport:          (*audit).noteImport,
		typeImportJob:       (*audit).noteImportJob,
		typeBlock:           (*audit).noteBlock,
		typeBookmark:        (*audit).noteSaved,
		typeDeletedBookmark: (*audit).noteSavedTombstone,
	}
}

// postKinds are the items of posts.
func postKinds() kindsOf {
	return kindsOf{
		typePost:     (*audit).notePost,
		typeComment:  (*audit).noteComment,
		typeLike:     (*audit).noteLike,
		typeBookmark: (*audit).noteBookmark,
		typeVersion:  (*audit).noteVersion,
	}
}

// checkStays holds of an item that it does not go away by itself.
func (a *audit) checkStays(subject string, i storedItem) {
	if i.expires() {
		a.violation(ruleExpiry, subject, "in %d seconds", i.TTL)
	}
}
