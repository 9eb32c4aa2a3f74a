package schema

// Queues of the container moderation, which are its partitions. The audit log has one for each
// month: see [AuditQueue].
const (
	SettingsQueue   = "settings"
	InvitationQueue = "invitations"
	ReportsQueue    = "reports"
	HeldQueue       = "held"
	AddressQueue    = "addresses"
)

// SitePictureID returns the id of a picture of the site, which is in the queue of the settings.
func SitePictureID(hash string) string { return "picture." + hash }

// Lists of the container overviews, which are its partitions.
const (
	AccountsOverview = "accounts"
	CommentsOverview = "comments"
)
