package settings

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/views"
	view "inkfeed/views/settings"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

var (
	errImportTooLarge = &domain.Error{Kind: domain.TooLarge, Message: locale.M("The file is larger than 256 MB. " +
		"Leave out the largest pictures, or ask this site's administrator to import it.")}
	errImportEmpty   = domain.FieldError("file", "The file is empty. Export your blog again.")
	errImportMissing = domain.FieldError("file", "Choose a file.")
	errImportBusy    = domain.NewError(domain.Conflict,
		"Your last upload is still being processed. Wait until it is done, then upload the file again.")
	errManyImports = domain.NewError(domain.Unavailable,
		"Many people are importing right now. Please try again in a few minutes.")
)

// upload receives an export file. The preview is made in the background.
func (h settingsImport) upload(c echo.Context) error {
	u, err := h.SignedIn(c)
	j := domain.ImportJob{UserID: u.ID}
	if err == nil {
		j, err = h.receive(c, u)
	}
	if err == nil {
		h.wake()
		return site.SeeOther(c, site.ImportPage)
	}
	errs, status, ok := h.FormErrors(c, err)
	if !ok {
		return err
	}
	switch {
	case err == errImportTooLarge:
		errs = views.FormErrors{Fields: map[string]locale.Message{"file": errImportTooLarge.Message}}
	case err == errManyImports:
		errs.Summary = domain.Reason(err)
	case domain.Is(err, domain.Unavailable):
		errs.Summary = locale.M("We couldn't save the file. Choose it again and try once more in a moment.")
	}
	if current, err := h.job(c.Request().Context(), u); err == nil && u.ID != "" {
		j = current
	}
	return h.RenderForm(c, status, view.Import(h.importPage(c, j, errs)))
}

// receive stores the uploaded file and requests its preview.
func (h settingsImport) receive(c echo.Context, u domain.User) (domain.ImportJob, error) {
	ctx := c.Request().Context()
	parts, err := site.MultipartForm(c)
	if err != nil {
		return domain.ImportJob{}, err
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Import, u.ID); err != nil {
		return domain.ImportJob{}, err
	}
	size := c.Request().ContentLength
	if size < 0 {
		size = domain.MaxImportUpload // browsers always state it
	}
	j := domain.ImportJob{UserID: u.ID, Bytes: min(size, domain.MaxImportUpload), Network: networkOf(c)}
	leave, err := h.receiving.enter(u.ID, j.Network)
	if err != nil {
		return domain.ImportJob{}, err
	}
	defer leave()
	if err := h.Limiter.AllowBytes(ctx, u.ID, remote.Of(c.Request()), j.Bytes); err != nil {
		return domain.ImportJob{}, err
	}
	for {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF:
			return domain.ImportJob{}, errImportMissing
		case err != nil:
			return domain.ImportJob{}, uploadError(err)
		case part.FormName() == "file" && part.FileName() == "":
			return domain.ImportJob{}, errImportMissing
		case part.FormName() == "file":
			return h.storeFile(ctx, j, part)
		}
	}
}

// uploadError translates an error of reading the form.
func uploadError(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errImportTooLarge
	}
	if domain.KindOf(err) != domain.Internal {
		return err
	}
	return echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
}

// storeFile makes an upload the user's current job, in place of an earlier one, and stores its file. If that fails and
// the earlier import can be undone, it becomes the current job again.
func (h settingsImport) storeFile(ctx context.Context, j domain.ImportJob, part *multipart.Part) (domain.ImportJob,
	error) {
	content := bufio.NewReader(part)
	if _, err := content.Peek(1); err == io.EOF {
		return domain.ImportJob{}, errImportEmpty
	} else if err != nil {
		return domain.ImportJob{}, uploadError(err)
	}
	former, err := h.claim(ctx, j)
	if err != nil {
		return domain.ImportJob{}, err
	}
	now := time.Now()
	before, err := h.clear(ctx, former, now)
	if err != nil {
		return domain.ImportJob{}, err
	}
	j.ID, j.FileName, j.Created = domain.NewID(), plaintext.Truncate(part.FileName(), 200), domain.Timestamp(now)
	j.Undone, j.Budget, j.ETag = before.Undone, before.Budget, before.ETag
	j = j.Change(domain.ImportReceiving, now)
	if j, err = h.store.Imports.Put(ctx, j); err != nil {
		if domain.Is(err, domain.Conflict) {
			err = errImportBusy
		}
		return domain.ImportJob{}, err
	}
	counted := &countedReader{r: io.LimitReader(content, domain.MaxImportUpload+1)}
	err = h.store.Files.PutStream(ctx, domain.ImportFile(j.ID), counted)
	switch {
	case err != nil:
		err = uploadError(err)
	case counted.n > domain.MaxImportUpload:
		err = errImportTooLarge
	default:
		j.Bytes = counted.n
		return h.requestPreview(ctx, j, former)
	}
	return domain.ImportJob{}, cmp.Or(h.deleteIncomplete(ctx, j, former), err)
}

// requestPreview requests the preview of a stored file. If the answer is lost, an instance may be reading the file
// already. So requestPreview deletes the file after a failure only if the job is known not to have it.
func (h settingsImport) requestPreview(ctx context.Context, j, former domain.ImportJob) (domain.ImportJob, error) {
	requested, err := h.store.Imports.Put(ctx, j.Change(domain.ImportReading, time.Now()))
	if err == nil {
		return requested, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	current, readErr := h.job(ctx, domain.User{ID: j.UserID})
	switch {
	case readErr != nil:
		return domain.ImportJob{}, err // a file that no instance reads expires
	case current.ID == j.ID && current.State.Received():
		return current, nil
	}
	// Another upload of the user may have replaced the job.
	return domain.ImportJob{}, cmp.Or(h.deleteIncomplete(ctx, j, former), err)
}

// claim makes room for an upload and returns the user's earlier job. It writes the entry first, so that an interrupted
// upload is found.
func (h settingsImport) claim(ctx context.Context, j domain.ImportJob) (former domain.ImportJob, err error) {
	if former, err = h.job(ctx, domain.User{ID: j.UserID}); err != nil {
		return former, err
	}
	if former.State.Works() {
		return former, errImportBusy
	}
	entries, err := h.store.Imports.Entries(ctx)
	if err != nil {
		return former, err
	}
	displaced, ok := domain.RoomForImport(entries, j, time.Now())
	if !ok {
		return former, errManyImports
	}
	for _, e := range displaced {
		if err := h.displace(ctx, e); err != nil {
			return former, err
		}
	}
	return former, h.store.Imports.PutEntry(ctx, j)
}

// displace lets an upload expire, unless its user has decided meanwhile. The entry stays, so that an instance deletes
// the file.
func (h settingsImport) displace(ctx context.Context, e domain.ImportEntry) error {
	j, err := h.job(ctx, domain.User{ID: e.UserID})
	now := time.Now()
	waits := j.State == domain.ImportReading && !j.Held(now)
	if err != nil || j.State != domain.ImportReady && j.State != domain.ImportReceiving && !waits {
		return err
	}
	if _, err = h.store.Imports.Put(ctx, j.Change(domain.ImportExpired, now)); domain.Is(err, domain.Conflict) {
		return nil
	}
	return err
}

// clear discards an earlier upload and deletes its file, while the job still names it.
func (h settingsImport) clear(ctx context.Context, before domain.ImportJob, now time.Time) (domain.ImportJob, error) {
	if !before.State.HasFile() {
		return before, nil
	}
	cleared, err := h.store.Imports.Put(ctx, before.Change(domain.ImportDiscarded, now))
	if domain.Is(err, domain.Conflict) {
		return before, errImportBusy
	}
	if err != nil {
		return before, err
	}
	return cleared, h.store.Files.Delete(ctx, domain.ImportFile(before.ID))
}

// dropTime is the time limit for deleting an incomplete file.
const dropTime = time.Minute

// deleteIncomplete deletes an incomplete file, even if the request has ended. If the former import can be undone, its
// job replaces that of the file.
func (h settingsImport) deleteIncomplete(ctx context.Context, j, former domain.ImportJob) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	if err := h.store.Files.Delete(ctx, domain.ImportFile(j.ID)); err != nil {
		return err
	}
	next := j.Change(domain.ImportDiscarded, time.Now())
	if former.State.Undoable() {
		next, next.ETag = former, j.ETag
	}
	_, err := h.store.Imports.Put(ctx, next)
	if domain.Is(err, domain.Conflict) {
		return nil
	}
	return err
}

// countedReader counts the bytes that were read.
type countedReader struct {
	r io.Reader
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
