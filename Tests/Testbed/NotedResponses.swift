// Requests of a central as the system hands them over, made by a test, and a peripheral manager that notes what they
// are answered.

package import Foundation

@testable package import CoreBluetooth

/// A manager that notes the responses, and gives the system none.
package final class NotedResponses: CBPeripheralManager {
    /// The responses since they were taken last.
    package private(set) var results: [CBATTError.Code] = []

    package override func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        self.results.append(result)
    }

    /// The responses since the last call.
    package func take() -> [CBATTError.Code] {
        defer { self.results = [] }
        return self.results
    }
}

extension CBCentral {
    /// A central that no link is to.
    package static func unlinked() -> CBCentral { CBCentral(identifier: UUID(), lock: ObjectLock()) }

    /// A request of its, whose response nobody waits for: to read from an offset, or to write a value there.
    package func request(_ uuid: CBUUID, _ offset: Int = 0, _ value: Data? = nil) -> CBATTRequest {
        CBATTRequest(
            transaction: .unawaited,
            central: self,
            characteristic: CBMutableCharacteristic(
                type: uuid,
                properties: .write,
                value: nil,
                permissions: .writeable
            ),
            offset: offset,
            value: value
        )
    }
}
