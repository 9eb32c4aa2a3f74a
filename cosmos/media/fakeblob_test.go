package media_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// fakeBlob implements the part of the Blob Storage protocol that Blobs uses, after its reference:
// containers, Put Blob, Get Blob with ranges, Get Blob Properties, Delete Blob, Shared Key
// authorization, tokens and the error codes. It can inject failures.
type fakeBlob struct {
	*httptest.Server
	key []byte

	mu         sync.Mutex
	containers map[string]map[string]fakeFile
	fail       func(r *http.Request) int // returns a status to answer with instead; 0: none
	cut        int                       // number of responses whose content breaks off half-way
	requests   []string
}

type fakeFile struct {
	content     []byte
	contentType string
	etag        string
}

const fakeAccount = "devstoreaccount1"

func newFakeBlob(t *testing.T) *fakeBlob { return startFakeBlob(t, httptest.NewServer) }

func startFakeBlob(t *testing.T, start func(http.Handler) *httptest.Server) *fakeBlob {
	f := &fakeBlob{key: []byte("the key of an account that is not there"), containers: map[string]map[string]fakeFile{}}
	f.Server = start(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeBlob) connectionString() string {
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;BlobEndpoint=%s/%s;",
		fakeAccount, base64.StdEncoding.EncodeToString(f.key), f.URL, fakeAccount)
}

func (f *fakeBlob) failWith(fail func(*http.Request) int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = fail
}

func (f *fakeBlob) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
	w.Header().Set("x-ms-request-id", strconv.Itoa(len(f.requests)))
	if f.fail != nil {
		if status := f.fail(r); status != 0 {
			refuse(w, status, "ServerBusy")
			return
		}
	}
	path, _ := strings.CutPrefix(r.URL.Path, "/"+fakeAccount+"/")
	name, file, isFile := strings.Cut(path, "/")
	signature := r.URL.Query().Get("sig")
	token, isToken := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case isToken && token == "of a reader" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
	case isToken && token != "of a contributor": // of an identity without a role for the data
		refuse(w, http.StatusForbidden, "AuthorizationPermissionMismatch")
		return
	case signature == "" && !isToken && r.Header.Get("Authorization") != "SharedKey "+fakeAccount+":"+f.sign(r):
		refuse(w, http.StatusForbidden, "AuthenticationFailed")
		return
	case signature != "" && (signature != "good" || !isFile): // the signature is for one container
		refuse(w, http.StatusForbidden, "AuthorizationFailure")
		return
	}
	files, there := f.containers[name]
	switch {
	case !isFile && r.Method == http.MethodPut && r.URL.Query().Get("restype") == "container":
		if there {
			refuse(w, http.StatusConflict, "ContainerAlreadyExists")
			return
		}
		f.containers[name] = map[string]fakeFile{}
		w.WriteHeader(http.StatusCreated)
	case !isFile:
		refuse(w, http.StatusBadRequest, "UnsupportedHttpVerb")
	case !there:
		refuse(w, http.StatusNotFound, "ContainerNotFound")
	default:
		f.serveFile(w, r, files, file)
	}
}

func (f *fakeBlob) serveFile(w http.ResponseWriter, r *http.Request, files map[string]fakeFile, name string) {
	file, there := files[name]
	if r.Method != http.MethodPut && !there {
		refuse(w, http.StatusNotFound, "BlobNotFound")
		return
	}
	switch r.Method {
	case http.MethodPut:
		content, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
			return
		case r.Header.Get("x-ms-blob-type") != "BlockBlob" || r.ContentLength != int64(len(content)):
			refuse(w, http.StatusBadRequest, "InvalidHeaderValue")
		case there && r.Header.Get("If-None-Match") == "*":
			refuse(w, http.StatusConflict, "BlobAlreadyExists")
		default:
			files[name] = fakeFile{content, r.Header.Get("x-ms-blob-content-type"),
				fmt.Sprintf(`"0x%d"`, len(f.requests))}
			w.WriteHeader(http.StatusCreated)
		}
	case http.MethodDelete:
		delete(files, name)
		w.WriteHeader(http.StatusAccepted)
	case http.MethodHead, http.MethodGet:
		if match := r.Header.Get("If-Match"); match != "" && match != file.etag {
			refuse(w, http.StatusPreconditionFailed, "ConditionNotMet")
			return
		}
		f.serveContent(w, r, file)
	}
}

func (f *fakeBlob) serveContent(w http.ResponseWriter, r *http.Request, file fakeFile) {
	h := w.Header()
	h.Set("Content-Type", file.contentType)
	h.Set("ETag", file.etag)
	h.Set("x-ms-blob-type", "BlockBlob")
	content, status := file.content, http.StatusOK
	header := r.Header.Get("x-ms-range")
	if header != "" {
		var from int
		if _, err := fmt.Sscanf(header, "bytes=%d-", &from); err != nil || from >= len(content) {
			refuse(w, http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			return
		}
		to := len(content) - 1
		fmt.Sscanf(header[strings.Index(header, "-")+1:], "%d", &to)
		to = min(to, len(content)-1)
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(content)))
		content, status = content[from:to+1], http.StatusPartialContent
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	if f.cut > 0 && len(content) > 1 {
		f.cut--
		_, _ = w.Write(content[:len(content)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(content)
}

// refuse answers like the service: the code in a header and in XML.
func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("x-ms-error-code", code)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>%s</Code><Message>No.</Message></Error>`, code)
}

// sign returns the signature of a request with the account's key.
func (f *fakeBlob) sign(r *http.Request) string {
	length := "" // which means 0
	if r.ContentLength > 0 {
		length = strconv.FormatInt(r.ContentLength, 10)
	}
	lines := []string{r.Method, r.Header.Get("Content-Encoding"), r.Header.Get("Content-Language"), length,
		r.Header.Get("Content-MD5"), r.Header.Get("Content-Type"), "", r.Header.Get("If-Modified-Since"),
		r.Header.Get("If-Match"), r.Header.Get("If-None-Match"), r.Header.Get("If-Unmodified-Since"),
		r.Header.Get("Range")}
	var headers []string
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-ms-") {
			headers = append(headers, name+":"+r.Header.Get(name))
		}
	}
	slices.Sort(headers)
	resource := "/" + fakeAccount + r.URL.EscapedPath()
	var parameters []string
	for name, values := range r.URL.Query() {
		parameters = append(parameters, "\n"+strings.ToLower(name)+":"+strings.Join(values, ","))
	}
	slices.Sort(parameters)
	mac := hmac.New(sha256.New, f.key)
	io.WriteString(mac, strings.Join(slices.Concat(lines, headers), "\n")+"\n"+resource+strings.Join(parameters, ""))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
