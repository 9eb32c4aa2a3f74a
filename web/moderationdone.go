package web

// What moderators do.
const (
	doDismiss = "dismiss"
	doHide    = "hide"
	doRestore = "restore"
	doApprove = "approve"
	doSuspend = "suspend"
)

// moderationDone is what a page says of what was done.
var moderationDone = map[string]string{
	doDismiss: "Reports dismissed.",
	doHide:    "Hidden. Only its author and moderators can see it.",
	doRestore: "It is restored.",
	doApprove: "Approved. This author's future posts won't need review.",
	doSuspend: "Account suspended.",
}
