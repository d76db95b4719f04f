// Error Response (Vol 3, Part F, 3.4.1).

/// `ATT_ERROR_RSP` (3.4.1.1): why a request failed.
public struct ATTErrorResponse {
    /// The request that failed.
    package var request: ATTOpcode
    /// The attribute that caused the failure; 0x0000 if none.
    package var handle: AttributeHandle
    /// The error.
    package var error: ATTErrorCode

    /// Creates a response.
    package init(request: ATTOpcode, handle: AttributeHandle, error: ATTErrorCode) {
        self.request = request
        self.handle = handle
        self.error = error
    }
}

extension ATTErrorResponse: ATTPDU {
    static var opcode: ATTOpcode { .errorResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.request = try coder.field("Request Opcode In Error", \.request)
        self.handle = try coder.field("Attribute Handle In Error", \.handle)
        self.error = try coder.field("Error Code", \.error)
    }
}
