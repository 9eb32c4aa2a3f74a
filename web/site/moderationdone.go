package site

import (
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
)

// Actions of moderators.
const (
	DoDismiss = "dismiss"
	DoHide    = "hide"
	DoRestore = "restore"
	DoApprove = "approve"
	DoSuspend = "suspend"
	DoUndo    = "undo" // of hiding
)

// ModerationMessages are the messages that confirm an action.
var ModerationMessages = map[string]locale.Message{
	DoDismiss: locale.M("Reports dismissed."),
	DoHide:    locale.M("Hidden. Only its author and moderators can see it."),
	DoRestore: locale.M("Restored."),
	DoApprove: locale.M("Approved. This author's future posts won't need review."),
	DoSuspend: locale.M("Account suspended."),
	DoUndo:    locale.M("Undone. The text is as it was before you hid it."),
}

// UndoParameter is the query parameter with the id of the target that was just hidden.
const UndoParameter = "undo"

// ModerationDone returns the model of the message about the moderator's last action. After hiding a text, the message
// offers to undo that. Known are the reports on the text; back is the path of the page.
func ModerationDone(c echo.Context, viewer domain.User, known domain.Reported, back string) views.ModerationDone {
	done := views.ModerationDone{Message: ModerationMessages[c.QueryParam("done")]}
	if c.QueryParam("done") == DoHide && c.QueryParam(UndoParameter) == known.ID() && known.MayUndo(viewer.ID) {
		done.Undo = &views.UndoHiding{Target: known.Target, Back: back}
	}
	return done
}
