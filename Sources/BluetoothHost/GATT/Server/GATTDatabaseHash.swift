// The Database Hash (Vol 3, Part G, 7.3.1): AES-CMAC with a key of zeros over handles, types and, for declarations,
// values. Clients compare it with their cached one instead of repeating the discovery.

import BluetoothTypes
import Crypto
import CryptoExtras
import NIOCore

extension GATTDatabase {
    /// The 128 bits of a Database Hash.
    struct Hash: Hashable, Sendable {
        /// The 16 octets, most significant first, as in the specification.
        let octets: ByteBuffer

        /// Computes the hash of attributes in ascending order of their handles.
        init(of attributes: some Sequence<GATTAttribute>) {
            var message = ByteBuffer()
            for attribute in attributes {
                switch attribute.shortType {
                case GATTAttributeType.primaryService, GATTAttributeType.secondaryService, GATTAttributeType.include,
                    GATTAttributeType.characteristic, GATTAttributeType.extendedProperties:
                    message.writeMultipleIntegers(attribute.handle, attribute.shortType, endianness: .little)
                    if case .fixed(let value) = attribute.content { message.writeImmutableBuffer(value) }
                case GATTAttributeType.userDescription, GATTAttributeType.clientConfiguration,
                    GATTAttributeType.serverConfiguration, GATTAttributeType.presentationFormat,
                    GATTAttributeType.aggregateFormat:
                    message.writeMultipleIntegers(attribute.handle, attribute.shortType, endianness: .little)
                default:
                    break
                }
            }
            let key = SymmetricKey(data: [UInt8](repeating: 0, count: 16))
            guard var code = try? AES.CMAC(key: key) else {
                preconditionFailure("AES-CMAC takes a key of 128 bits")
            }
            message.withUnsafeReadableBytes { code.update(bufferPointer: $0) }
            self.octets = code.finalize().withUnsafeBytes { ByteBuffer(bytes: $0) }
        }

        /// The characteristic's value: least significant octet first, like every number in an attribute
        /// (Vol 3, Part F, 3.3.1).
        var value: ByteBuffer { ByteBuffer(bytes: self.octets.readableBytesView.reversed()) }
    }
}
