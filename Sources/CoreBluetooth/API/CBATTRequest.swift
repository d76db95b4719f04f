// A central's request to read or write a value.

import BluetoothHost
public import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// A central's request to read or write a value of a characteristic that this app published.
///
/// Answer it with ``CBPeripheralManager/respond(to:withResult:)``; a central waits 30 seconds and then ends the
/// connection.
///
/// Apple documents it as `CBATTRequest`.
open class CBATTRequest: NSObject {
    /// The answer that the system waits for.
    enum Answer: Sendable {
        case read(GATTRequestID)
        case write(GATTRequestID)
        /// A write without response, whose answer is ignored.
        case nothing
    }

    /// The answer that the system waits for, shared by the requests of one transaction, which are answered once.
    final class Transaction: Sendable {
        /// The transaction of a write without response, which needs no answer.
        static let unawaited = Transaction(.nothing)

        private let answer: NIOLockedValueBox<Answer>

        init(_ answer: Answer) { self.answer = NIOLockedValueBox(answer) }

        /// Returns the awaited answer; nothing after the first call.
        func take() -> Answer {
            self.answer.withLockedValue { answer in
                defer { answer = .nothing }
                return answer
            }
        }
    }

    let transaction: Transaction
    private var centralStorage: CBCentral
    private var characteristicStorage: CBMutableCharacteristic
    private let offsetStorage: Int

    init(
        transaction: Transaction,
        central: CBCentral,
        characteristic: CBMutableCharacteristic,
        offset: Int,
        value: Data?
    ) {
        self.transaction = transaction
        self.centralStorage = central
        self.characteristicStorage = characteristic
        self.offsetStorage = offset
        self.value = value
        super.init()
    }

    /// Reuses an object that the app has not retained for the next write without response.
    func renew(central: CBCentral, characteristic: CBMutableCharacteristic, value: ByteBuffer) {
        if central !== self.centralStorage { self.centralStorage = central }
        if characteristic !== self.characteristicStorage { self.characteristicStorage = characteristic }
        if self.value?.setOctets(of: value) == nil { self.value = Data(octetsOf: value) }
    }

    /// Not available: requests come from centrals.
    @available(*, unavailable, message: "Requests come from centrals.")
    public override init() { fatalError("unavailable") }

    /// The central that asks.
    open var central: CBCentral { self.centralStorage }

    /// The characteristic: the very object that the app published.
    open var characteristic: CBCharacteristic { self.characteristicStorage }

    /// The octet of the value at which reading or writing starts, counted from 0.
    ///
    /// Answer a read beyond the end of the value with ``CBATTError/Code/invalidOffset``.
    open var offset: Int { self.offsetStorage }

    /// The value to write, or the value that is read: set it, from
    /// ``offset`` on, before you answer a read with ``CBATTError/Code/success``.
    ///
    /// If it does not fit into one packet, the central reads the rest with further requests.
    open var value: Data?

    /// The object as log lines show it.
    open override var description: String {
        """
        <\(Swift.type(of: self)): \(pointerText(self)), Central = \(self.central), \
        Characteristic = \(self.characteristic), Offset = \(self.offset), \
        Value = \(self.value.map { "\($0.count) octets" } ?? "(null)")>
        """
    }
}
