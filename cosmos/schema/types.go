package schema

// Values of the property type, which distinguishes the items of one container.
const (
	TypeUser        = "user"
	TypeCredentials = "credentials"
	TypeUsername    = "username"
	// TypeSkeleton reserves a skeleton, which all usernames that look alike share.
	TypeSkeleton = "skeleton"
	TypePost     = "post"
	TypeComment  = "comment"
	TypeLike     = "like"
	// TypeBookmark is a bookmark in posts, and its reader's copy in users. TypeDeletedBookmark is
	// the tombstone of that copy.
	TypeBookmark        = "bookmark"
	TypeDeletedBookmark = "deleted-bookmark"
	TypeLease           = "lease"
	TypeDeadLetter      = "dead-letter"
	// TypeDeletedPost is the tombstone of a user's copy of a post.
	TypeDeletedPost = "deleted-post"
	// TypeUsedAddress is an item that stays in posts when a post is deleted, so that its address is not used again.
	TypeUsedAddress = "used-address"
	// Copies in users of posts that are in no public list.
	TypeUnlistedPost    = "unlisted-post"
	TypeUnpublishedPost = "unpublished-post"
	TypeHiddenPost      = "hidden-post"
	TypeTrashedPost     = "trashed-post"

	TypeDraft         = "draft"
	TypePreview       = "preview"
	TypeVersion       = "version"
	TypeScheduledPost = "scheduled"
	// TypeScheduledDeletion is the scheduled deletion of an account.
	TypeScheduledDeletion = "leaving"
	// TypeContinuation says when the users projector goes on with work for an account that waits for its budget.
	TypeContinuation = "continuing"
	// TypePurge says when a post in the trash is deleted for good.
	TypePurge = "trashed"
	// TypeEmbedding says when the embeds of a post are fetched.
	TypeEmbedding = "embedding"

	// Records of pictures. Lists of pictures omit avatars.
	TypeImage  = "image"
	TypeAvatar = "avatar"
	// TypeThumbnail is the picture of an embed. It belongs to its post.
	TypeThumbnail = "thumbnail"
	TypeRedirect  = "redirect"
	TypeImport    = "import"
	// TypeImportJob is an import in the browser, in users. TypeImporting is its item in schedule.
	TypeImportJob = "import-job"
	TypeImporting = "importing"

	// TypeBlock records that a user has blocked another.
	TypeBlock = "block"

	// TypeFollow records that a user follows an author or tag, in the user's partition, and TypeFollower the same in
	// the partition of the followers. TypeDeletedFollow and TypeDeletedFollower record that a follow has ended.
	TypeFollow          = "follow"
	TypeDeletedFollow   = "deleted-follow"
	TypeFollower        = "follower"
	TypeDeletedFollower = "deleted-follower"
	// TypeFollowers counts the followers of an author or tag.
	TypeFollowers = "followers"
	// TypeEntry is a reference to a post in a timeline. TypeMerged stands for all posts of a source.
	TypeEntry  = "entry"
	TypeMerged = "merged"

	// TypeSubscriber is a person with subscriptions by mail. TypeReceiver is the subscriber in the partition
	// of a list, and TypeDeletedReceiver records that the list does not have the subscriber any more.
	TypeSubscriber      = "subscriber"
	TypeReceiver        = "receiver"
	TypeDeletedReceiver = "deleted-receiver"
	// TypeNewsletter says how an author's posts are mailed, TypeMailing what became of the mails of one of them.
	TypeNewsletter = "newsletter"
	TypeMailing    = "mailing"
	// TypeTold is a post of the digests of a day. TypeDigestZone is a time zone in which digests are sent.
	TypeTold       = "told"
	TypeDigestZone = "digest-zone"

	// TypeMutes are the people, tags and posts that a user has muted.
	TypeMutes = "mutes"

	// TypeNotification notifies a user of what others did, such as a comment or a moderator's decision.
	TypeNotification = "notification"

	// TypeAccountRow and TypeCommentRow are the rows of the overviews. TypeDeletedComment is the marker of a deleted
	// comment, by which the posts projector finds its row.
	TypeAccountRow     = "account-row"
	TypeCommentRow     = "comment-row"
	TypeDeletedComment = "deleted-comment"

	TypeSession = "session"
	// TypeTaken is the type of a secret that has been used. Others have the type of their domain.SecretKind.
	TypeTaken   = "taken"
	TypeEmail   = "email"
	TypeCounter = "counter"
	// TypeCosts is what one instance measured in one interval.
	TypeCosts = "costs"

	// TypeAdministrators is the list of administrators, a single item in users.
	TypeAdministrators = "administrators"

	TypeSettings = "settings"
	// TypePage is the text of a static page, in posts. TypePages is the list of all static pages.
	TypePage          = "page"
	TypePages         = "pages"
	TypeSitePicture   = "site-picture"
	TypeAudit         = "audit"
	TypeInvitation    = "invitation"
	TypeInvitationUse = "invitation-use"
	// TypeReport is a pending report. TypeDecided is a report that a moderator has decided.
	TypeReport  = "report"
	TypeDecided = "decided-report"
	TypeReview  = "review"
	// TypeAddressRequest is the item of a user whose imports ask for addresses. TypeAddressOwner is that of any other
	// user who has imported. Lists sort by type, in descending order, so requests come first.
	TypeAddressRequest = "address-request"
	TypeAddressOwner   = "address-owner"

	// TypeDelivery is a message to a receiver outside, and TypeDestination what the worker knows of the receiver.
	TypeDelivery    = "delivery"
	TypeDestination = "destination"
	// TypeMark is written in the partition of a destination, so that later reads see all that was written there before.
	TypeMark = "mark"
	// TypeOutgoing is a delivery in users, written in the transaction that causes it.
	TypeOutgoing = "outgoing"
)
