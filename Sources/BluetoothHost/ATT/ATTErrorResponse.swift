// Error Response (Vol 3, Part F, 3.4.1).

import BluetoothTypes
import NIOCore

/// `ATT_ERROR_RSP` (3.4.1.1): why a request was not fulfilled.
public struct ATTErrorResponse: ATTPDU {
    static var opcode: ATTOpcode { .errorResponse }

    /// The request that failed.
    public var request: ATTOpcode
    /// The attribute that it failed at; 0x0000 where none is to blame.
    public var handle: AttributeHandle
    /// Why.
    public var error: ATTErrorCode

    /// Creates a response.
    public init(request: ATTOpcode, handle: AttributeHandle, error: ATTErrorCode) {
        self.request = request
        self.handle = handle
        self.error = error
    }

    var parameterLength: Int { 4 }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.request = ATTOpcode(rawValue: try parameters.readLittleEndian("Request Opcode In Error"))
        self.handle = try parameters.readLittleEndian("Attribute Handle In Error")
        self.error = ATTErrorCode(rawValue: try parameters.readLittleEndian("Error Code"))
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.request.rawValue, self.handle, self.error.rawValue, endianness: .little)
    }
}
