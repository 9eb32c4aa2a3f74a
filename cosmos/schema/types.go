package schema

// Values of the property type, which tells the items of one container apart.
const (
	TypeUser        = "user"
	TypeCredentials = "credentials"
	TypeUsername    = "username"
	// TypeSkeleton reserves what usernames that look alike have in common.
	TypeSkeleton = "skeleton"
	TypePost     = "post"
	TypeComment  = "comment"
	TypeLike     = "like"
	// TypeBookmark is a bookmark in posts, and in users its reader's copy, of which
	// typeDeletedBookmark is the tombstone.
	TypeBookmark        = "bookmark"
	TypeDeletedBookmark = "deleted-bookmark"
	TypeLease           = "lease"
	TypeDeadLetter      = "dead-letter"
	// TypeDeletedPost is the tombstone of a user's copy of a post.
	TypeDeletedPost = "deleted-post"
	// Copies, in users too, of posts that stand in no public list.
	TypeUnlistedPost    = "unlisted-post"
	TypeUnpublishedPost = "unpublished-post"
	TypeHiddenPost      = "hidden-post"

	TypeDraft         = "draft"
	TypePreview       = "preview"
	TypeVersion       = "version"
	TypeScheduledPost = "scheduled"
	// TypeScheduledDeletion is the scheduled deletion of an account.
	TypeScheduledDeletion = "leaving"

	// Records of pictures; avatars stand in no list.
	TypeImage    = "image"
	TypeAvatar   = "avatar"
	TypeRedirect = "redirect"
	TypeImport   = "import"
	// TypeImportJob is an import in the browser, in users; typeImporting is its entry in the schedule.
	TypeImportJob = "import-job"
	TypeImporting = "importing"

	TypeBlock = "block" // whom a user has blocked

	TypeSession = "session"
	TypeEmail   = "email"
	TypeCounter = "counter"

	// TypeAdministrators is the one list of administrators, in users.
	TypeAdministrators = "administrators"

	TypeSettings      = "settings"
	TypeAudit         = "audit"
	TypeInvitation    = "invitation"
	TypeInvitationUse = "invitation-use"
	// TypeReport is a report that waits for a decision, typeDecided one that was decided.
	TypeReport  = "report"
	TypeDecided = "decided-report"
	TypeReview  = "review"
)
