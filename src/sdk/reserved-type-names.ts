/**
 * Type names that an alias made from an owner's word must not take: those of the language's own library and of
 * `prelude.d.ts`. A test compares the list with the library's files.
 */
export const RESERVED_TYPE_NAMES: ReadonlySet<string> = new Set(
  `
    AbortController AbortSignal AggregateError AggregateErrorConstructor Array ArrayBuffer ArrayBufferConstructor
    ArrayBufferLike ArrayBufferTypes ArrayBufferView ArrayConstructor ArrayIterator ArrayLike Artifacts
    AsyncDisposable AsyncDisposableStack AsyncDisposableStackConstructor AsyncGenerator AsyncGeneratorFunction
    AsyncGeneratorFunctionConstructor AsyncIterable AsyncIterableIterator AsyncIterator AsyncIteratorObject Atomics
    AudioBlock Awaited BigInt BigInt64Array BigInt64ArrayConstructor BigIntConstructor BigIntToLocaleStringOptions
    BigUint64Array BigUint64ArrayConstructor Boolean BooleanConstructor Buffer BuiltinIteratorReturn
    CallableFunction Capitalize ClassAccessorDecoratorContext ClassAccessorDecoratorResult
    ClassAccessorDecoratorTarget ClassDecorator ClassDecoratorContext ClassFieldDecoratorContext
    ClassGetterDecoratorContext ClassMemberDecoratorContext ClassMethodDecoratorContext ClassSetterDecoratorContext
    ConcatArray Console ConstructorParameters ContentBlock Crypto DataView DataViewConstructor Date DateConstructor
    DecoratorContext DecoratorMetadata DecoratorMetadataObject Disposable DisposableStack DisposableStackConstructor
    Error ErrorConstructor ErrorOptions EvalError EvalErrorConstructor Exclude Extract FinalizationRegistry
    FinalizationRegistryConstructor FlatArray Float16Array Float16ArrayConstructor Float32Array
    Float32ArrayConstructor Float64Array Float64ArrayConstructor FullResult Function FunctionConstructor Generator
    GeneratorFunction GeneratorFunctionConstructor IArguments ImageBlock ImportAssertions ImportAttributes
    ImportCallOptions ImportMeta Infinity InstanceType Int16Array Int16ArrayConstructor Int32Array
    Int32ArrayConstructor Int8Array Int8ArrayConstructor Intl Iterable IterableIterator Iterator IteratorObject
    IteratorObjectConstructor IteratorResult IteratorReturnResult IteratorYieldResult JSON Lowercase Map
    MapConstructor MapIterator Math MethodDecorator NaN NewableFunction NoInfer NonNullable Number NumberConstructor
    Object ObjectConstructor Omit OmitThisParameter ParameterDecorator Parameters Partial Performance Pick Promise
    PromiseConstructor PromiseConstructorLike PromiseFulfilledResult PromiseLike PromiseRejectedResult
    PromiseSettledResult PromiseWithResolvers PropertyDecorator PropertyDescriptor PropertyDescriptorMap PropertyKey
    Proxy ProxyConstructor ProxyHandler RangeError RangeErrorConstructor Readonly ReadonlyArray ReadonlyMap
    ReadonlySet ReadonlySetLike Record ReferenceError ReferenceErrorConstructor Reflect RegExp RegExpConstructor
    RegExpExecArray RegExpIndicesArray RegExpMatchArray RegExpStringIterator Required ResourceBlock
    ResourceLinkBlock ReturnType Sdk SdkTools SearchHit Set SetConstructor SetIterator SharedArrayBuffer
    SharedArrayBufferConstructor String StringConstructor StringIterator SuppressedError SuppressedErrorConstructor
    Symbol SymbolConstructor SyntaxError SyntaxErrorConstructor TemplateStringsArray Temporal TextBlock TextDecoder
    TextEncoder ThisParameterType ThisType Tool ToolError ToolErrorCode TypeError TypeErrorConstructor
    TypedPropertyDescriptor URIError URIErrorConstructor URL URLSearchParams Uint16Array Uint16ArrayConstructor
    Uint32Array Uint32ArrayConstructor Uint8Array Uint8ArrayConstructor Uint8ClampedArray
    Uint8ClampedArrayConstructor Uncapitalize Untyped Uppercase WeakKey WeakKeyTypes WeakMap WeakMapConstructor
    WeakRef WeakRefConstructor WeakSet WeakSetConstructor
  `
    .trim()
    .split(/\s+/),
)
