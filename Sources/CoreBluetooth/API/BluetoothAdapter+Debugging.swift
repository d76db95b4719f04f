// For tools: scanning in other ways than an app can, and every attribute of a device, also those that Core Bluetooth
// keeps from apps.

package import BluetoothHost
package import BluetoothTypes
import Foundation
import NIOCore

extension BluetoothAdapter {
    /// An attribute of a device.
    package struct RemoteAttribute: Hashable, Sendable {
        /// Its handle.
        package var handle: UInt16
        /// Its type.
        package var type: BluetoothUUID
        /// Its value; `nil` if that was not read.
        package var value: Data?
        /// Whether it belongs to a service that Core Bluetooth keeps from apps.
        package var isHidden = false
    }

    /// The address under which the device with an identifier is known; `nil` for an unknown device.
    package func address(of identifier: UUID) -> DeviceAddress? { self.identities.record(for: identifier)?.address }

    /// Chooses how apps in the foreground scan, from their next scan on.
    package func setScanParameters(_ parameters: ScanParameters) {
        self.withCore { $0?.scanParameters = parameters }
    }

    /// Discovers every attribute of the device with an identifier, in the order of their handles, and reads the values
    /// of declarations, whose reading no server may refuse (Vol 3, Part G, 3.1 to 3.3). Reports on the event loop.
    package func discoverAttributes(
        of identifier: UUID,
        _ report: @escaping @Sendable (Result<[RemoteAttribute], GATTError>) -> Void
    ) {
        self.withCore { core in
            guard let core, let link = core.link(to: identifier) else { return report(.failure(.notConnected)) }
            core.host.perform(DiscoverDescriptors(in: 1...AttributeHandle.max), on: link) { [unowned core] found in
                switch found {
                case .failure(let error): report(.failure(error))
                case .success(let found):
                    let attributes = found.map { RemoteAttribute(handle: $0.handle, type: $0.uuid) }
                    core.readDeclarations(of: attributes, from: 0, on: link, report)
                }
            }
        }
    }
}

extension AdapterCore {
    /// Reads the declarations among attributes, one after the other.
    fileprivate func readDeclarations(
        of attributes: [BluetoothAdapter.RemoteAttribute],
        from start: Int,
        on link: LinkID,
        _ report: @escaping @Sendable (Result<[BluetoothAdapter.RemoteAttribute], GATTError>) -> Void
    ) {
        let next = attributes[start...].firstIndex { GATTAttributeType.declarations ~= $0.type.shortValue ?? 0 }
        guard let index = next else {
            return report(.success(Self.markingHidden(attributes)))
        }
        self.host.perform(ReadValue(attributes[index].handle), on: link) { [unowned self] result in
            switch result {
            case .failure(.att):
                self.readDeclarations(of: attributes, from: index + 1, on: link, report)
            case .failure(let error): report(.failure(error))
            case .success(let value):
                var attributes = attributes
                attributes[index].value = Data(value.readableBytesView)
                self.readDeclarations(of: attributes, from: index + 1, on: link, report)
            }
        }
    }

    /// A service has the attributes up to the next one's declaration (Vol 3, Part G, 3.1).
    private static func markingHidden(
        _ attributes: [BluetoothAdapter.RemoteAttribute]
    ) -> [BluetoothAdapter.RemoteAttribute] {
        var isHidden = false
        return attributes.map { attribute in
            var attribute = attribute
            if let type = attribute.type.shortValue, GATTAttributeType.serviceDeclarations ~= type {
                var value = ByteBuffer(bytes: attribute.value ?? Data())
                let service = try? BluetoothUUID(parsing: &value, length: value.readableBytes)
                isHidden = service.map(CBPeripheral.hiddenServices.contains) ?? false
            }
            attribute.isHidden = isHidden
            return attribute
        }
    }
}
