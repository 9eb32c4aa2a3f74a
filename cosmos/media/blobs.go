package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"inkfeed/cosmos/trust"
	"inkfeed/domain"
)

// Blobs stores files in a container of Azure Blob Storage.
type Blobs struct {
	container *container.Client
	mayCreate bool // the container
}

// BlobOptions identify the container, either by its URL or by a connection string and its name.
type BlobOptions struct {
	// ContainerURL includes a shared access signature with the permissions read, create, write and
	// delete, unless there is a Credential.
	ContainerURL string
	// Credential authorizes requests to ContainerURL. The container must exist.
	Credential azcore.TokenCredential
	// ConnectionString is the connection string of a storage account, as shown by Azure.
	ConnectionString string
	Container        string
	// Transport sends the requests; nil means the network.
	Transport policy.Transporter
}

// Retries of failed requests. The caller's deadline can end them earlier.
const (
	maxRetries = 5
	retryDelay = 200 * time.Millisecond
)

// NewBlobs returns a store in a container. It sends no request.
func NewBlobs(o BlobOptions) (*Blobs, error) {
	options := &container.ClientOptions{ClientOptions: azcore.ClientOptions{
		Transport: o.Transport,
		Retry: policy.RetryOptions{MaxRetries: maxRetries, RetryDelay: retryDelay,
			MaxRetryDelay: 5 * time.Second},
		PerRetryPolicies: []policy.Policy{trust.TrustPolicy{}},
	}}
	var client *container.Client
	var err error
	switch {
	case o.Credential != nil:
		client, err = container.NewClient(o.ContainerURL, o.Credential, options)
	case o.ContainerURL != "":
		client, err = container.NewClientWithNoCredential(o.ContainerURL, options)
	default:
		client, err = container.NewClientFromConnectionString(o.ConnectionString, o.Container, options)
	}
	if err != nil {
		return nil, fmt.Errorf("media: configure the client: %w", err)
	}
	return &Blobs{client, o.Credential == nil}, nil
}

// Prepare creates the container without public access, if it is missing and the connection string
// permits that. It fails if there is no access to the container. A shared access signature for one
// container permits neither creating the container nor reading its properties. With a token
// credential, Prepare does not create the container. It checks that files can be deleted, which no
// role and no signature for reading allows.
func (b *Blobs) Prepare(ctx context.Context) error {
	err := b.prepare(ctx)
	if err != nil {
		return fmt.Errorf("media: prepare the container: %w", oneLine(err))
	}
	return nil
}

func (b *Blobs) prepare(ctx context.Context) error {
	if !b.mayCreate {
		return b.probe(ctx)
	}
	_, err := b.container.Create(ctx, nil)
	switch statusOf(err) {
	case http.StatusConflict, http.StatusForbidden:
		return b.probe(ctx)
	}
	return err
}

// probe deletes a file that does not exist.
func (b *Blobs) probe(ctx context.Context) error {
	_, err := b.container.NewBlobClient("inkfeed-probe").Delete(ctx, nil)
	if statusOf(err) == http.StatusNotFound && codeOf(err) != "ContainerNotFound" {
		return nil
	}
	return err
}

// Put stores a file and returns when the service has it. An existing file is not changed.
func (b *Blobs) Put(ctx context.Context, name string, content []byte) error {
	if err := check(name); err != nil {
		return err
	}
	none := azcore.ETagAny
	_, err := b.container.NewBlockBlobClient(name).Upload(ctx, streaming.NopCloser(bytes.NewReader(content)),
		&blockblob.UploadOptions{
			HTTPHeaders: &blob.HTTPHeaders{BlobContentType: to.Ptr(contentType(name))},
			AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{
				IfNoneMatch: &none}},
		})
	if statusOf(err) == http.StatusConflict && codeOf(err) == "BlobAlreadyExists" {
		return nil // uploaded before, perhaps by an earlier attempt of this call
	}
	return translate(err)
}

// PutStream stores a file read from r and holds a few megabytes of it in memory. The service shows no file
// before it is complete, and discards the blocks of an interrupted upload within a week.
func (b *Blobs) PutStream(ctx context.Context, name string, r io.Reader) error {
	if !domain.IsImportFile(name) {
		return errNoFile
	}
	source := &reading{r: r}
	_, err := b.container.NewBlockBlobClient(name).UploadStream(ctx, source, &blockblob.UploadStreamOptions{
		BlockSize: streamBlock, Concurrency: 1,
		HTTPHeaders: &blob.HTTPHeaders{BlobContentType: to.Ptr(contentType(name))}})
	if source.err != nil {
		return source.err
	}
	return translate(err)
}

// streamBlock is the number of bytes of a stream sent in one request.
const streamBlock = 4 << 20

// Open opens a file for reading and seeking. The caller closes it. The error is of kind NotFound if
// there is no such file. The context must last until the file is closed.
func (b *Blobs) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	r := &blobReader{ctx: ctx, blob: b.container.NewBlobClient(name)}
	if err := r.open(); err != nil {
		return nil, translate(err)
	}
	return r, nil
}

// Delete deletes a file. It succeeds if there is no such file, but not if the container is missing: a deleted container
// may be restored with its files.
func (b *Blobs) Delete(ctx context.Context, name string) error {
	if check(name) != nil {
		return nil
	}
	_, err := b.container.NewBlobClient(name).Delete(ctx, nil)
	if err = translate(err); domain.Is(err, domain.NotFound) {
		return nil
	}
	return err
}

// blobReader reads a blob in one request from the position of the first read. To read a range, seek
// first.
type blobReader struct {
	ctx    context.Context
	blob   *blob.Client
	size   int64
	at     int64         // position of the next read
	body   io.ReadCloser // current response body; nil: no request yet
	bodyAt int64         // position of body
}

// open requests the blob from r.at on.
func (r *blobReader) open() error {
	resp, err := r.blob.DownloadStream(r.ctx, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: r.at}})
	if err != nil {
		return err
	}
	if resp.ContentLength == nil {
		return errors.Join(errors.New("read a blob: the answer has no length"), resp.Body.Close())
	}
	r.size, r.bodyAt = r.at+*resp.ContentLength, r.at
	r.body = resp.NewRetryReader(r.ctx, &blob.RetryReaderOptions{MaxRetries: maxRetries})
	return nil
}

func (r *blobReader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if r.bodyAt != r.at {
		if err := r.Close(); err != nil {
			return 0, translate(err)
		}
	}
	if r.body == nil {
		if err := r.open(); err != nil {
			return 0, translate(err)
		}
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	r.bodyAt = r.at
	if err != nil && err != io.EOF {
		err = translate(err)
	}
	return n, err
}

// Seek sends no request. Seeking to the end and back does not end the current request.
func (r *blobReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("media: seek to before the beginning")
	}
	r.at = offset
	return offset, nil
}

func (r *blobReader) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}

func statusOf(err error) int {
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return e.StatusCode
	}
	return 0
}

func codeOf(err error) string {
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return e.ErrorCode
	}
	return ""
}

// translate converts an error of the service to a domain error. Any error except a missing file is
// caused by the service, the network or the credential: a retry or an operator can fix it.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case statusOf(err) == http.StatusNotFound && codeOf(err) != "ContainerNotFound":
		return errNoFile
	}
	return unavailable(oneLine(err))
}

// oneLine shortens the SDK's error to one line, without the URL's parameters, one of which is a
// secret.
func oneLine(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		if u, parseErr := url.Parse(e.URL); parseErr == nil {
			return fmt.Errorf("blob storage: %s %s%s: %w", e.Op, u.Host, u.Path, e.Err)
		}
		return fmt.Errorf("blob storage: %s: %w", e.Op, e.Err)
	}
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return &callError{e}
	}
	return err
}

type callError struct{ err *azcore.ResponseError }

func (e *callError) Unwrap() error { return e.err }

func (e *callError) Error() string {
	text := fmt.Sprintf("blob storage: status %d %s", e.err.StatusCode, e.err.ErrorCode)
	if e.err.RawResponse != nil {
		text += ", request " + e.err.RawResponse.Header.Get("x-ms-request-id")
	}
	return text
}
