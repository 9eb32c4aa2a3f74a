package schema

// Queues of the container moderation, which are its partitions. The audit log has one for each
// month: see [AuditQueue].
const (
	SettingsQueue   = "settings"
	InvitationQueue = "invitations"
	ReportsQueue    = "reports"
	HeldQueue       = "held"
)
