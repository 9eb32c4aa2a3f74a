package cosmos

// Values of the property type, which tells the items of one container apart.
const (
	typeUser        = "user"
	typeCredentials = "credentials"
	typeUsername    = "username"
	// typeSkeleton reserves what usernames that look alike have in common.
	typeSkeleton = "skeleton"
	typePost     = "post"
	typeComment  = "comment"
	typeLike     = "like"
	// typeBookmark is a bookmark in posts, and in users its reader's copy, of which
	// typeDeletedBookmark is the tombstone.
	typeBookmark        = "bookmark"
	typeDeletedBookmark = "deleted-bookmark"
	typeLease           = "lease"
	typeDeadLetter      = "dead-letter"
	// typeDeletedPost is the tombstone of a user's copy of a post.
	typeDeletedPost = "deleted-post"
	// Copies, in users too, of posts that stand in no public list.
	typeUnlistedPost    = "unlisted-post"
	typeUnpublishedPost = "unpublished-post"
	typeHiddenPost      = "hidden-post"

	typeDraft     = "draft"
	typePreview   = "preview"
	typeVersion   = "version"
	typeScheduled = "scheduled"
	// typeLeaving is an account that is to be deleted, in the schedule.
	typeLeaving = "leaving"

	// Records of pictures; avatars stand in no list.
	typeImage    = "image"
	typeAvatar   = "avatar"
	typeRedirect = "redirect"
	typeImport   = "import"
	// typeImportJob is an import in the browser, in users; typeImporting is its entry in the schedule.
	typeImportJob = "import-job"
	typeImporting = "importing"

	typeBlock = "block" // whom a user has blocked

	typeSession = "session"
	typeEmail   = "email"
	typeCounter = "counter"

	// typeAdministrators is the one list of administrators, in users.
	typeAdministrators = "administrators"

	typeSettings      = "settings"
	typeAudit         = "audit"
	typeInvitation    = "invitation"
	typeInvitationUse = "invitation-use"
	// typeReport is a report that waits for a decision, typeDecided one that was decided.
	typeReport  = "report"
	typeDecided = "decided-report"
	typeReview  = "review"
)
