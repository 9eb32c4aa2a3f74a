package schema

// The queues of the container moderation are its partitions. The audit log has one for each
// month: see auditQueue.
const (
	SettingsQueue   = "settings"
	InvitationQueue = "invitations"
	ReportsQueue    = "reports"
	HeldQueue       = "held"
)
