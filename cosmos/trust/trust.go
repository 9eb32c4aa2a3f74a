// Package trust tells the SDKs of Azure which failed connections no other attempt can mend.
package trust

import (
	"crypto/tls"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// UntrustedError is the error of a connection to a server whose certificate is not trusted, or that does not speak TLS.
type UntrustedError struct{ error }

// Unwrap returns the error of the connection.
func (e *UntrustedError) Unwrap() error { return e.error }

// NonRetriable tells the SDK's pipeline not to repeat the request, which fails until an operator changes the settings.
func (e *UntrustedError) NonRetriable() {}

// TrustPolicy is a pipeline policy that reports servers that are not trusted by an UntrustedError.
type TrustPolicy struct{}

// Do implements policy.Policy.
func (TrustPolicy) Do(r *policy.Request) (*http.Response, error) {
	resp, err := r.Next()
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if untrusted || errors.Is(err, http.ErrSchemeMismatch) {
		err = &UntrustedError{err}
	}
	return resp, err
}
