package site

// What moderators do.
const (
	DoDismiss = "dismiss"
	DoHide    = "hide"
	DoRestore = "restore"
	DoApprove = "approve"
	DoSuspend = "suspend"
)

// ModerationDone is what a page says of what was done.
var ModerationDone = map[string]string{
	DoDismiss: "Reports dismissed.",
	DoHide:    "Hidden. Only its author and moderators can see it.",
	DoRestore: "It is restored.",
	DoApprove: "Approved. This author's future posts won't need review.",
	DoSuspend: "Account suspended.",
}
